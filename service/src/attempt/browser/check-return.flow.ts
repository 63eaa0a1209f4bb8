import { acceptsCompletion } from '../attempt.ts';
import type { AttemptRecord } from '../attempt.ts';
import { completionCodeDigest } from '../redeem/completion-code.ts';
import { Refusal } from '../../errors/refusal.ts';
import type { Ms } from '../../values/time.ts';
import { findKnownAttempt } from '../read-attempt.flow.ts';
import type { Services } from '../services.flow.ts';

type Needs = Pick<Services, 'store'>;

/** Query parameters of the return address; an absent one is the empty text. */
export interface ReturnParameters {
  readonly attemptId: string;
  readonly completionCode: string;
}

export interface CheckedReturn {
  readonly result: 'accepted' | 'unknown_attempt' | 'unknown_code';
  readonly record: AttemptRecord | null;
}

/**
 * For the demonstration dashboard: tells whether the attempt exists, and whether the completion
 * code, if one is given, is right and has not expired. It does not check the state of the attempt,
 * and it does not count a wrong code.
 */
export async function checkReturn(
  services: Needs,
  { attemptId, completionCode }: ReturnParameters,
  at: Ms,
): Promise<CheckedReturn> {
  const record = await recordOf(services, attemptId);
  if (record === null) return { result: 'unknown_attempt', record };
  const digest = completionCode === '' ? null : completionCodeDigest(completionCode);
  const accepted = acceptsCompletion(record, { completionDigest: digest, at });
  return { result: accepted ? 'accepted' : 'unknown_code', record };
}

async function recordOf(services: Needs, attemptId: string): Promise<AttemptRecord | null> {
  try {
    return (await findKnownAttempt(services, attemptId)).attempt;
  } catch (error) {
    if (error instanceof Refusal && error.code === 'attempt.not_found') return null;
    throw error;
  }
}
