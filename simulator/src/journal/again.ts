/** What a sign-in has to be told so that it goes as an earlier one did. */
import { isReserved } from '../engine/people/national-id.ts';
import { choiceText, MOST_SECONDS } from '../engine/scenario.ts';
import type { Ms } from '../engine/ports.ts';
import type { Entry } from './entry.ts';
import type { Numbered } from './journal.ts';
import { askedFor, startOf } from './starts.ts';

const SECOND_MS: Ms = 1000;

/** The outcomes that do what a decision did. */
const OUTCOMES: Readonly<Record<string, string>> = {
  approve: 'approves_at_once',
  refuse: 'refuses',
  not_me: 'not_me',
  wrong_number: 'wrong_number',
};

export interface SeenStart {
  /** The body of POST /start, parsed. */
  readonly body: unknown;
  /** As X-Simulate would say it; null where the identity decides, or a person is to decide. */
  readonly simulate: string | null;
}

/** Null where the time line has no start of an application. */
export function seenStart(entries: readonly Numbered[]): SeenStart | null {
  const start = startOf(entries);
  if (start?.name !== 'startAttempt' || start.exchange === null) return null;
  const { headers, body } = start.exchange.request;
  return { body, simulate: headers['x-simulate'] ?? simulateOf(entries, start.at) };
}

function simulateOf(entries: readonly Numbered[], startedAt: Ms): string | null {
  const acts = entries.map(({ entry }) => entry).filter(({ name }) => name === 'decision');
  const last = acts.findLast(({ act }) => act?.decision !== 'ignore');
  if (last === undefined) return acts.length === 0 ? null : 'never_answers';
  // A reserved number does the same by itself, and more than a decision tells.
  if (last.act?.by === 'outcome' && isReserved(askedFor(entries) ?? '')) return null;
  return outcomeFor(last, startedAt);
}

function outcomeFor({ at, act }: Entry, startedAt: Ms): string | null {
  const key = OUTCOMES[act?.decision ?? ''];
  if (key === undefined) return null;
  const seconds = Math.round((at - startedAt) / SECOND_MS);
  return choiceText({ key, afterMs: Math.min(Math.max(seconds, 0), MOST_SECONDS) * SECOND_MS });
}
