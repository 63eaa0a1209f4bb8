import { acceptsCompletion } from '../domain/attempt.ts';
import type { AttemptRecord } from '../domain/attempt.ts';
import { completionCodeDigest } from '../domain/completion-code.ts';
import { Refusal } from '../domain/errors/refusal.ts';
import type { Ms } from '../domain/time.ts';
import { findKnownAttempt } from './find-attempt.ts';
import type { Tools } from './tools.ts';

/** What came with a browser after a sign-in, as texts from an address; a missing one is empty. */
export interface BroughtBack {
  readonly attemptId: string;
  readonly completionCode: string;
}

export interface JudgedReturn {
  readonly judged: 'good' | 'unknown_attempt' | 'unknown_code';
  readonly record: AttemptRecord | null;
}

/** Whether an application could go on with this. Looks, and neither counts nor changes anything. */
export async function judgeReturn(
  tools: Tools,
  { attemptId, completionCode }: BroughtBack,
  at: Ms,
): Promise<JudgedReturn> {
  const record = await recordOf(tools, attemptId);
  if (record === null) return { judged: 'unknown_attempt', record };
  const digest = completionCode === '' ? null : completionCodeDigest(completionCode);
  const accepted = acceptsCompletion(record, { completionDigest: digest, at });
  return { judged: accepted ? 'good' : 'unknown_code', record };
}

async function recordOf(tools: Tools, attemptId: string): Promise<AttemptRecord | null> {
  try {
    return (await findKnownAttempt(tools, attemptId)).attempt;
  } catch (error) {
    if (error instanceof Refusal && error.code === 'attempt.not_found') return null;
    throw error;
  }
}
