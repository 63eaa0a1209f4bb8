import { nothing, object, string, type Schema, type Static } from '@miftah/schema';
import { PLACEHOLDER } from './placeholders.ts';

/** Parts that several operations share. */

/** ISO 8601 with seconds and a numeric offset. */
export const timestamp = (description: string) =>
  string({ format: 'date-time', description, examples: ['2026-01-31T09:05:00+00:00'] });

export const AttemptId = string({
  format: 'uuid',
  description: 'Identifies the attempt.',
  examples: [PLACEHOLDER.attemptId],
});

/** The id in a path. Every text is accepted: one that can't be an id is simply unknown. */
export const AttemptPath = object({
  attempt_id: string({
    description: 'The `attempt_id` of the start.',
    examples: [PLACEHOLDER.attemptId],
  }),
});
export type AttemptPath = Static<typeof AttemptPath>;

/** Success answers that carry data are an object with the single key `data`. */
export const dataOf = <Type>(schema: Schema<Type>, description: string) =>
  object({ data: schema }, { description });

export const NoContent = nothing({ description: 'Done; there is nothing to say.' });
