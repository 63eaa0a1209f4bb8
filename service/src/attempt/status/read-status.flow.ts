import { attemptAt, type Attempt } from '../attempt.ts';
import type { Ms } from '../../values/time.ts';
import { asSignedInBy, type User } from '../../account/user.ts';
import { collectResult, type CollectServices } from '../finish/collect-result.flow.ts';
import { findProvenAttempt } from '../find-attempt.flow.ts';

export interface AttemptStatus {
  readonly attempt: Attempt;
  /** Null unless the attempt is authenticated or redeemed. */
  readonly user: User | null;
}

/**
 * @param admit called once the caller has proved the attempt, before any other work for them.
 * @throws Refusal `attempt.not_found`
 */
export async function readStatus(
  services: CollectServices,
  caller: { attemptId: string; attemptToken: string },
  now: Ms,
  admit: () => Promise<void>,
): Promise<AttemptStatus> {
  const proven = await findProvenAttempt(services, caller.attemptId, caller.attemptToken);
  await admit();
  const found = await collectResult(services, proven, now);
  const attempt = attemptAt(found.attempt, now);
  const { user } = found;
  const isShown = user !== null && isTokenReady(attempt);
  return { attempt, user: isShown ? asSignedInBy(user, attempt.record) : null };
}

export function isTokenReady({ state }: Attempt): boolean {
  return state === 'authenticated' || state === 'redeemed';
}
