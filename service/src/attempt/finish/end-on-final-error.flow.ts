import type { AttemptId } from '../../values/ids.ts';
import type { ErrorCode } from '../../errors/catalogue.ts';
import { Refusal } from '../../errors/refusal.ts';
import type { Ms } from '../../values/time.ts';
import { failAttempt, rejectAttempt } from './end-attempt.flow.ts';
import type { Services } from '../services.flow.ts';

/**
 * Ends the attempt after an error that gave no identity and that another request would not change.
 */
export async function endOnFinalError(
  services: Pick<Services, 'store' | 'meter'>,
  attemptId: AttemptId,
  finalErrors: ReadonlySet<ErrorCode>,
  error: unknown,
  at: Ms,
): Promise<void> {
  if (!(error instanceof Refusal) || !finalErrors.has(error.code)) return;
  const end = { attemptId, at, reason: error.code };
  // The person proved who they are, but with too low an assurance level: a rejection, not a
  // failure.
  if (error.code === 'assurance.insufficient') await rejectAttempt(services, end);
  else await failAttempt(services, end);
}
