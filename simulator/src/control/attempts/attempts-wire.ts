/** The list of attempts: a query in, rows with no number of a person out. */
import {
  boolean,
  digits,
  integer,
  oneOf,
  nothing,
  object,
  openObject,
  list,
  optional,
  string,
  union,
  type Static,
} from '@miftah/schema';
import { RequestId } from '../../http/wire.ts';
import { isoTimestamp } from '../../http/timestamp.ts';
import { PersonText } from '../person-text.ts';
import { SOURCES, type RowFacts } from './time-lines.ts';

const text = string();
const textOrNull = union(text, nothing());

export const AttemptsQuery = object({
  limit: optional(
    digits(
      { minimum: 1, maximum: 200 },
      {
        pattern: '^([1-9]|[1-9][0-9]|1[0-9][0-9]|200)$',
        description: 'How many at most; by default 50.',
      },
    ),
  ),
  before: optional({ ...RequestId, description: 'Only those that began before this attempt.' }),
});

export const AttemptParams = openObject({ id: RequestId });

export const ApplicationText = {
  ...union(openObject({ ar: text, en: text }), nothing()),
  description: 'The name of the application in both languages, where it is known.',
};

export const AttemptRow = openObject({
  id: text,
  flow: text,
  state: text,
  reason: textOrNull,
  scope: text,
  client: ApplicationText,
  service: textOrNull,
  created_at: text,
  expires_at: text,
  entries: integer({ description: 'Grows whenever something happens to the attempt.' }),
  source: oneOf(SOURCES),
  planned: boolean({
    description:
      'Whether it is pending and an outcome that was chosen before answers, so that nobody has to. ' +
      'The state changes when it is read.',
  }),
  answered: boolean({
    description:
      'Whether it is pending and its person, or an outcome in their place, has answered: nothing ' +
      'waits on the phone any more. The state changes when it is read.',
  }),
  person: {
    ...PersonText,
    description:
      'The id and the names of the invented person who has signed in, or whom the start asks for; ' +
      'null for anybody else, and for a sign-in by browser until somebody has approved it.',
  },
});

export const AttemptsAnswer = openObject(
  { data: list(AttemptRow) },
  { description: 'The attempts, the newest first.' },
);

export function attemptRow(attempt: RowFacts): Static<typeof AttemptRow> {
  const { createdAt, expiresAt, ...facts } = attempt;
  return { ...facts, created_at: isoTimestamp(createdAt), expires_at: isoTimestamp(expiresAt) };
}
