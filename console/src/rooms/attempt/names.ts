import type { Entry } from '@miftah/contract/control';
import { named } from '../../parts/named.ts';
import { words } from '../../words/index.ts';

const { names, sides, decisions } = words.attempt;

/** Where things happen, in the order of the lanes. */
export const SIDES: readonly string[] = ['area_a', 'area_b', 'phone', 'browser', 'callback'];

/** What an application does not ask for stands in the lane of who asks, although the service answers. */
const OF_OTHERS: ReadonlyMap<string, string> = new Map([
  ['launch', 'browser'],
  ['callback', 'browser'],
  ['openidAuthorize', 'browser'],
  ['openidReturn', 'browser'],
  ['openidLogout', 'browser'],
  ['push_callback', 'callback'],
]);

export function laneOf({ side, name }: Pick<Entry, 'side' | 'name'>): string {
  return (side === 'area_a' ? OF_OTHERS.get(name) : undefined) ?? side;
}

export const sideName = (side: string): string => named(sides, side);
export const entryName = (name: string): string => named(names, name);
export const decisionName = (decision: string): string => named(decisions, decision);
