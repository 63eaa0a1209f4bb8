import type { JSX } from 'preact';
import { words } from '../words/index.ts';
import { named } from './named.ts';
import { Outside } from './outside.tsx';

const { states } = words.common;

export const stateName = (state: string): string => named(states, state);

/** Every state that the console knows, in the order of an attempt's life. */
export const KNOWN_STATES = [
  'pending',
  'authenticated',
  'redeemed',
  'rejected',
  'expired',
  'failed',
] as const satisfies readonly (keyof typeof states)[];

export function StateBadge({ state }: { readonly state: string }): JSX.Element {
  return (
    <span class="state" data-state={Object.hasOwn(states, state) ? state : undefined}>
      <Outside text={stateName(state)} />
    </span>
  );
}
