import type { AttemptId } from '../../domain/attempt-id.ts';
import type { ErrorCode } from '../../domain/errors/catalogue.ts';
import { Refusal } from '../../domain/errors/refusal.ts';
import type { Ms } from '../../domain/time.ts';
import type { Services } from '../services.ts';

/** An answer that brought nobody, and that no second question can better, ends the attempt. */
export async function endOnFinalError(
  { store }: Pick<Services, 'store'>,
  attemptId: AttemptId,
  settling: ReadonlySet<ErrorCode>,
  error: unknown,
  at: Ms,
): Promise<void> {
  if (!(error instanceof Refusal) || !settling.has(error.code)) return;
  const end = { attemptId, at, reason: error.code };
  // The person did prove who they are, and that was not enough.
  if (error.code === 'assurance.insufficient') await store.rejectAttempt(end);
  else await store.failAttempt(end);
}
