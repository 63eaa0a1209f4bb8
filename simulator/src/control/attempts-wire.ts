/** The list of attempts: a query in, rows without anything of a person out. */
import {
  nothing,
  object,
  openObject,
  list,
  optional,
  string,
  union,
  type Static,
} from '@miftah/schema';
import { isoTimestamp } from '../http/timestamp.ts';
import type { ListedAttempt } from '../options.ts';

const text = string();

export const AttemptsQuery = object({
  limit: optional(
    string({
      pattern: '^([1-9]|[1-9][0-9]|1[0-9][0-9]|200)$',
      description: 'How many at most: 1 to 200, by default 50.',
    }),
  ),
});

const AttemptRow = openObject({
  id: text,
  flow: text,
  state: text,
  reason: union(text, nothing()),
  scope: text,
  created_at: text,
  expires_at: text,
});

export const AttemptsAnswer = openObject({ data: list(AttemptRow) });

export function attemptRow(attempt: ListedAttempt): Static<typeof AttemptRow> {
  const { id, flow, state, reason, scope, createdAt, expiresAt } = attempt;
  const times = { created_at: isoTimestamp(createdAt), expires_at: isoTimestamp(expiresAt) };
  return { id, flow, state, reason, scope, ...times };
}
