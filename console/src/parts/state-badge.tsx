import type { JSX } from 'preact';
import type { Row } from '@miftah/contract/control';
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

type Stated = Pick<Row, 'state' | 'planned'>;

/** What nobody has to answer does not wait, though its state is still that of what waits. */
export const shownState = ({ state, planned }: Stated): string =>
  planned ? states.planned : stateName(state);

export function StateBadge({ row }: { readonly row: Stated }): JSX.Element {
  const { state } = row;
  return (
    <span class="state" data-state={Object.hasOwn(states, state) ? state : undefined}>
      <Outside text={shownState(row)} />
    </span>
  );
}
