import { words } from '../words/index.ts';
import { Attempts } from './attempts/attempts.tsx';
import type { Room } from './room.ts';

const { rooms } = words.frame;

/** In the order of the navigation. A new room is a line here, a folder beside this file, and words. */
export const ROOMS: readonly Room[] = [{ path: '', name: rooms.attempts, View: Attempts }];
