import { parseUserId } from '../../../account/user.ts';
import { isErrorCode } from '../../../errors/catalogue.ts';
import type { AttemptId } from '../../../values/ids.ts';
import type { Ms } from '../../../values/time.ts';
import type { DeliveryToSend, WebhookEnd } from '../../../webhooks/webhook.ts';
import type { CommandParts } from '../engine.ts';
import type { DeliveryRow } from '../schema.ts';
import { type Command, RowReader, type SqlRow, step } from '../statement.ts';

interface End {
  readonly event: WebhookEnd;
  readonly attemptId: AttemptId;
  readonly at: Ms;
}

/** The command that may end the attempt, and what its receivers are told if it does so at this time. */
export function tellingEnd<Result>(
  { sql, receivers }: CommandParts,
  command: Command<Result>,
  event: WebhookEnd,
  attemptId: AttemptId,
  at: Ms,
): Command<Result> {
  const end = { event, attemptId, at };
  return receivers.toldOrTaken(
    command,
    event,
    (told, taken, until) =>
      step(sql.noteAttempt, { attempt_id: attemptId, event, at, receivers: told, taken, until }),
    (row) => takenFromRow(row, end),
  );
}

/** The columns that the end does not say. A row that nobody has taken was never tried. */
function takenFromRow(row: SqlRow, end: End): DeliveryToSend | null {
  const read = new RowReader<DeliveryRow>('webhook_deliveries', row);
  const tries = read.integer('tries');
  if (tries === 0) return null;
  return {
    ...end,
    deliveryId: read.text('delivery_id'),
    receiver: read.text('receiver'),
    userId: read.idOrNull('user_id', parseUserId),
    reason: read.parsedOrNull('reason', (text) => (isErrorCode(text) ? text : null)),
    since: end.at,
    tries,
  };
}
