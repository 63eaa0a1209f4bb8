import type { JSX } from 'preact';
import type { Row } from '@miftah/contract/control';
import { shownState } from '../state/rows.ts';
import { words } from '../words/index.ts';
import { named } from './named.ts';
import { Outside } from './outside.tsx';

const { states } = words.common;

export const stateName = (state: string): string => named(states, state);

/** Every state that the console shows by name, in the order of an attempt's life. */
export const KNOWN_STATES = [
  'pending',
  'planned',
  'answered',
  'authenticated',
  'redeemed',
  'rejected',
  'cancelled',
  'expired',
  'failed',
] as const satisfies readonly (keyof typeof states)[];

export function StateBadge({ row }: { readonly row: Row }): JSX.Element {
  const state = shownState(row);
  return (
    <span class="state" data-state={Object.hasOwn(states, state) ? state : undefined}>
      <Outside text={stateName(state)} />
    </span>
  );
}
