import type { AttemptId } from '../../../values/ids.ts';
import type { Ms } from '../../../values/time.ts';
import type { WebhookEnd } from '../../../webhooks/webhook.ts';
import type { CommandParts } from '../engine.ts';
import { type Command, step } from '../statement.ts';

/** The command that may end the attempt, and what its receivers are told if it does so at this time. */
export function tellingEnd<Result>(
  { sql, receivers }: CommandParts,
  command: Command<Result>,
  event: WebhookEnd,
  attemptId: AttemptId,
  at: Ms,
): Command<Result> {
  return receivers.told(command, event, (told) =>
    step(sql.noteAttempt, { attempt_id: attemptId, event, at, receivers: told }),
  );
}
