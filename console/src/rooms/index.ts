import { words } from '../words/index.ts';
import { Attempt } from './attempt/attempt.tsx';
import { Attempts } from './attempts/attempts.tsx';
import { Clock } from './clock/clock.tsx';
import { Faults } from './faults/faults.tsx';
import { Outcomes } from './outcomes/outcomes.tsx';
import { People } from './people/people.tsx';
import { Phone } from './phone/phone.tsx';
import { Reference } from './reference/reference.tsx';
import { Reset } from './reset/reset.tsx';
import type { Room } from './room.ts';

const { rooms } = words.frame;

/** In the order of the navigation. A new room is a line here, a folder beside this file, and words. */
export const ROOMS: readonly Room[] = [
  { path: '', name: rooms.attempts, View: Attempts },
  { path: 'phone', name: rooms.phone, View: Phone },
  { path: 'people', name: rooms.people, View: People },
  { path: 'outcomes', name: rooms.outcomes, View: Outcomes },
  { path: 'clock', name: rooms.clock, View: Clock },
  { path: 'faults', name: rooms.faults, View: Faults },
  { path: 'reset', name: rooms.reset, View: Reset },
  { path: 'reference', name: rooms.reference, View: Reference },
];

/** A room without a link in the navigation: it is part of another one. */
export const INNER_ROOMS: readonly (Room & { readonly of: string })[] = [
  { path: 'attempts', of: '', name: rooms.attempts, View: Attempt },
];
