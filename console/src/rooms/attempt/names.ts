import type { Entry } from '../../api/types.ts';
import { named } from '../../parts/named.ts';
import { words } from '../../words/index.ts';

const { names, sides, decisions } = words.attempt;

/** Where things happen, in the order of the lanes. */
export const SIDES: readonly string[] = ['area_a', 'area_b', 'phone', 'browser', 'callback'];

/** What a browser asks for stands in its lane, although the service answers it. */
const OF_BROWSER: ReadonlySet<string> = new Set(['launch', 'callback']);

export function laneOf({ side, name }: Pick<Entry, 'side' | 'name'>): string {
  return side === 'area_a' && OF_BROWSER.has(name) ? 'browser' : side;
}

export const sideName = (side: string): string => named(sides, side);
export const entryName = (name: string): string => named(names, name);
export const decisionName = (decision: string): string => named(decisions, decision);
