import { attemptAt, type Attempt } from '../attempt.ts';
import {
  COMPLETION_CODE_BYTES,
  COMPLETION_CODE_LIFETIME_MS,
  completionCodeDigest,
  makeCompletionCode,
} from '../redeem/completion-code.ts';
import { Refusal } from '../../errors/refusal.ts';
import type { Secret } from '../../values/secret.ts';
import type { Ms } from '../../values/time.ts';
import type { SimulatedDecision } from '../../simulate/simulation.port.ts';
import { collectResult, findKnownAttempt } from '../read-attempt.flow.ts';
import { completeAttempt, type CompletionServices } from '../finish/complete-attempt.flow.ts';
import { requireReturnTarget } from '../browser/return-target.flow.ts';
import type { Services } from '../services.flow.ts';

type Needs = CompletionServices & Pick<Services, 'clients' | 'openidReturn' | 'random'>;

/** The attempt that its sign-in page shows. @throws Refusal when there is no such page. */
export async function openSignIn(services: Needs, attemptId: string, now: Ms): Promise<Attempt> {
  const known = await findKnownAttempt(services, attemptId);
  if (known.attempt.flow !== 'oidc') throw new Refusal('attempt.not_found');
  requireReturnTarget(services, known.attempt);
  const current = await collectResult(services, known, now);
  return attemptAt(current.attempt, now);
}

export interface SignInDecision {
  readonly attemptId: string;
  readonly decision: SimulatedDecision;
  readonly personId: string | null;
}

export interface SignedIn {
  readonly attempt: Attempt;
  /** Only for the browser that has just finished the sign-in; null for every other. */
  readonly completionCode: Secret | null;
}

/** Carries out what the person chose on the sign-in page. @throws Refusal */
export async function decideSignIn(
  services: Needs,
  choice: SignInDecision,
  now: Ms,
): Promise<SignedIn> {
  const code = makeCompletionCode(services.random.bytes(COMPLETION_CODE_BYTES));
  const digest = completionCodeDigest(code.reveal());
  const completion = { digest, expiresAt: now + COMPLETION_CODE_LIFETIME_MS };
  const attempt = await completeAttempt(services, { ...choice, flow: 'oidc', completion }, now);
  const isOurs = attempt.record.completionDigest === digest;
  return { attempt, completionCode: isOurs ? code : null };
}
