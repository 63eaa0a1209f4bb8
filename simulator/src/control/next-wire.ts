/** The bodies of the queue of outcomes. */
import {
  integer,
  list,
  nothing,
  object,
  openObject,
  optional,
  string,
  union,
} from '@miftah/schema';
import { MOST_SECONDS } from '../engine/scenario.ts';

const KEY_MAX = 40;

export const NextBody = object({
  outcome: string({ minLength: 1, maxLength: KEY_MAX, examples: ['refuses'] }),
  after: optional(
    integer({
      minimum: 0,
      maximum: MOST_SECONDS,
      description: 'When the person acts, in seconds.',
    }),
  ),
});

const NextRow = openObject({
  outcome: string({ description: 'The key of an outcome.' }),
  after: union(integer({ description: 'In seconds.' }), nothing()),
});

export const NextAnswer = openObject(
  { data: list(NextRow) },
  { description: 'The outcomes that are queued, the next one first.' },
);
