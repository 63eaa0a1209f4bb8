import { attemptAt, requireCompleted, type AttemptRecord } from '../attempt.ts';
import { ownFlow } from '../../errors/notes.ts';
import { Refusal } from '../../errors/refusal.ts';
import type { Ms } from '../../values/time.ts';
import { collectResult, type CollectServices, findProvenAttempt } from '../read-attempt.flow.ts';

/**
 * Tells whether the person has approved on the phone and the signed result has arrived. It never
 * completes an attempt itself.
 * @throws Refusal `attempt.pending`, or the code of the attempt's state
 */
export async function confirmPhone(
  services: CollectServices,
  caller: { readonly attemptId: string; readonly attemptToken: string },
  now: Ms,
): Promise<AttemptRecord> {
  const proven = await findProvenAttempt(services, caller.attemptId, caller.attemptToken);
  if (proven.attempt.flow !== 'mfa') {
    throw new Refusal('attempt.wrong_flow', { note: ownFlow(proven.attempt.flow) });
  }
  const { attempt: record } = await collectResult(services, proven, now);
  return requireCompleted(attemptAt(record, now)).record;
}
