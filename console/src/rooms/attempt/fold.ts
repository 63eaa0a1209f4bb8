import type { Entry } from '@miftah/contract/control';
import { lastIndexOf } from '../../parts/lists.ts';

/** Questions that were asked again and again, with the same answers. */
export type Repeated = {
  readonly kind: 'repeated';
  readonly entries: readonly Entry[];
  /** So many entries stand for one question. */
  readonly period: number;
};

/** What stands on one line of the time line. */
export type Fold =
  | { readonly kind: 'entry'; readonly entry: Entry }
  | Repeated
  /** Entries that the simulator did not keep. */
  | { readonly kind: 'gap'; readonly count: number };

/** The operations by which programs ask for news. */
const POLLS: ReadonlySet<string> = new Set(['readStatus', 'watchStatus', 'mfa_status']);
/** What an OpenID client is answered that asks again later. */
const NOT_YET: ReadonlySet<string | null> = new Set(['authorization_pending', 'slow_down']);
/** A status that is read may make the service ask the provider, once for some readers. */
const LONGEST_PERIOD = 4;

/** The lines of a time line: polls in a row, alone or by turns, become one line. */
export function linesOf(entries: readonly Entry[]): readonly Fold[] {
  const keys = entries.map(keyOf);
  const gap = gapIn(entries);
  const lines: Fold[] = [];
  for (let at = 0; at < entries.length;) {
    if (at === gap?.before) lines.push({ kind: 'gap', count: gap.count });
    const { period, length } = repeatedAt(keys, at, at < (gap?.before ?? 0) ? gap : null);
    lines.push(lineOf(entries.slice(at, at + length), period));
    at += length;
  }
  return lines;
}

function lineOf(entries: readonly Entry[], period: number): Fold {
  const [entry] = entries;
  if (entry !== undefined && entries.length === 1) return { kind: 'entry', entry };
  return { kind: 'repeated', entries, period };
}

interface Gap {
  /** The place of the entry that follows. */
  readonly before: number;
  readonly count: number;
}

/**
 * Where entries were left out: after the first ones, whose numbers have no gap. In files of earlier
 * versions the numbers are those of the order in which the entries ended.
 */
function gapIn(entries: readonly Entry[]): Gap | null {
  const numbers = new Set(entries.map(({ number }) => number));
  const count = Math.max(0, ...numbers) - numbers.size;
  if (count <= 0) return null;
  let missing = 1;
  while (numbers.has(missing)) missing += 1;
  return { before: lastIndexOf(entries, ({ number }) => number < missing) + 1, count };
}

/** How many entries from `at` on are the same one or few, again and again, and all before the gap. */
function repeatedAt(keys: readonly (string | null)[], at: number, gap: Gap | null) {
  const last = gap?.before ?? keys.length;
  for (let period = 1; period <= LONGEST_PERIOD; period += 1) {
    let end = at + period;
    while (end < last && isSame(keys, end, period)) end += 1;
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
  if (exchange === null || !(POLLS.has(name) || NOT_YET.has(exchange.code))) return null;
  const { path, status, code, response } = exchange;
  return JSON.stringify([side, name, path, status, code, response.body]);
}
