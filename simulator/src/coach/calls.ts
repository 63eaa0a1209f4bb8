/** What an application sent to the attempt API, and what it got. */
import type { Ms } from '../engine/ports.ts';
import type { Exchange } from '../journal/entry.ts';
import { parsed, textAt } from './bodies.ts';
import type { CoachInput } from './rule.ts';

/** One request of the application. */
export interface Call {
  readonly number: number;
  readonly name: string;
  readonly at: Ms;
  /** When the answer was complete. */
  readonly answeredAt: Ms;
  readonly exchange: Exchange;
}

/** What the application itself calls: not its user's browser, and not the provider. */
const OF_THE_APPLICATION: ReadonlySet<string> = new Set([
  'startAttempt',
  'readStatus',
  'watchStatus',
  'completeRedirect',
  'completeMfa',
  'issueToken',
  'cancelAttempt',
]);

/** The operations that tell an application what has become of its attempt. */
const READS = ['readStatus', 'watchStatus'] as const;

/** Oldest first: of these operations, or of those of an application when none is named. */
export function callsOf({ entries }: CoachInput, ...names: readonly string[]): readonly Call[] {
  return entries.flatMap(({ number, entry: { name, side, at, exchange } }) => {
    const isWanted = names.length === 0 ? OF_THE_APPLICATION.has(name) : names.includes(name);
    if (side !== 'area_a' || exchange === null || !isWanted) return [];
    return [{ number, name, at, answeredAt: at + exchange.durationMs, exchange }];
  });
}

/** Polls, long polls and streams. */
export const readsOf = (input: CoachInput): readonly Call[] => callsOf(input, ...READS);

/** The numbers of these entries in the time line; null without any, for a rule that found none. */
export function numbersOf(calls: readonly Call[]): readonly number[] | null {
  return calls.length === 0 ? null : calls.map(({ number }) => number);
}

export const isAnswered = ({ exchange }: Call, status: number): boolean =>
  exchange.status === status;

/** The code of an error; undefined where the answer is no error. */
export const errorCodeOf = ({ exchange }: Call): string | undefined =>
  textAt(exchange.response.body, 'code');

/** The members of the request's query. */
export function queryOf({ exchange: { path } }: Call): URLSearchParams {
  const start = path.indexOf('?');
  return new URLSearchParams(start < 0 ? '' : path.slice(start + 1));
}

/** The status of the attempt in the answer, the last one of a stream; undefined for none. */
export function toldStatus({ exchange, name }: Call): string | undefined {
  const { body } = exchange.response;
  if (name !== 'watchStatus') return textAt(body, 'data', 'status');
  if (typeof body !== 'string') return undefined;
  const last = body.split('\n').findLast((line) => line.startsWith('data:'));
  return last === undefined ? undefined : textAt(parsed(last.slice('data:'.length)), 'status');
}
