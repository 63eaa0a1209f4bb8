import { attemptAt, POLL_SECONDS, type AttemptRecord, type AttemptState } from '../attempt.ts';
import type { ErrorCode } from '../../errors/catalogue.ts';
import { Refusal } from '../../errors/refusal.ts';
import type { Ms } from '../../values/time.ts';
import { collectResult, type CollectServices } from '../finish/collect-result.flow.ts';
import { findProvenAttempt } from '../find-attempt.flow.ts';
import { isTokenReady } from '../status/read-status.flow.ts';

const NOT_READY = {
  pending: 'attempt.pending',
  authenticated: 'attempt.pending',
  redeemed: 'attempt.already_redeemed',
  rejected: 'attempt.rejected',
  failed: 'attempt.failed',
  expired: 'attempt.expired',
} as const satisfies Record<AttemptState, ErrorCode>;

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
  if (proven.attempt.flow !== 'mfa') throw new Refusal('attempt.wrong_flow');
  const { attempt: record } = await collectResult(services, proven, now);
  const attempt = attemptAt(record, now);
  if (isTokenReady(attempt)) return record;
  const isPending = attempt.state === 'pending';
  throw new Refusal(NOT_READY[attempt.state], isPending ? { retryAfterSeconds: POLL_SECONDS } : {});
}
