import type { Entry } from '../../api/types.ts';

/** A line of the time line. */
export type Line =
  | { readonly kind: 'entry'; readonly entry: Entry }
  /** Questions that were asked again and again, with the same answers. */
  | { readonly kind: 'repeated'; readonly entries: readonly Entry[]; readonly period: number }
  /** Entries that the simulator did not keep. */
  | { readonly kind: 'gap'; readonly count: number };

/** The operations by which programs ask for news. */
const POLLS: ReadonlySet<string> = new Set(['readStatus', 'watchStatus', 'mfa_status']);
/** A status that is read may make the service ask the provider, once for some readers. */
const LONGEST_PERIOD = 4;

/** The lines of a time line: polls in a row, alone or by turns, become one line. */
export function linesOf(entries: readonly Entry[]): readonly Line[] {
  const keys = entries.map(keyOf);
  const lines: Line[] = [];
  for (let at = 0; at < entries.length;) {
    const gap = gapBefore(entries, at);
    if (gap > 0) lines.push({ kind: 'gap', count: gap });
    const { period, length } = repeatedAt(entries, keys, at);
    lines.push(lineOf(entries.slice(at, at + length), period));
    at += length;
  }
  return lines;
}

function lineOf(entries: readonly Entry[], period: number): Line {
  const [entry] = entries;
  if (entry !== undefined && entries.length === 1) return { kind: 'entry', entry };
  return { kind: 'repeated', entries, period };
}

function gapBefore(entries: readonly Entry[], at: number): number {
  const [before, next] = [entries[at - 1], entries[at]];
  return before === undefined || next === undefined ? 0 : next.number - before.number - 1;
}

/** How many entries from `at` on are the same one or few, again and again. */
function repeatedAt(entries: readonly Entry[], keys: readonly (string | null)[], at: number) {
  for (let period = 1; period <= LONGEST_PERIOD; period += 1) {
    let end = at + period;
    while (isSame(keys, end, period) && gapBefore(entries, end) === 0) end += 1;
    const rounds = Math.floor((end - at) / period);
    if (rounds > 1) return { period, length: rounds * period };
  }
  return { period: 1, length: 1 };
}

function isSame(keys: readonly (string | null)[], at: number, period: number): boolean {
  const key = keys[at] ?? null;
  return key !== null && key === keys[at - period];
}

/** What has to be the same; null for what is no poll. */
function keyOf({ side, name, exchange }: Entry): string | null {
  if (exchange === null || !POLLS.has(name)) return null;
  const { path, status, code, response } = exchange;
  return JSON.stringify([side, name, path, status, code, response.body]);
}
