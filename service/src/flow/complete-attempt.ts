import {
  attemptAt,
  type Attempt,
  type AttemptRecord,
  type CompletionProof,
} from '../domain/attempt.ts';
import { Refusal } from '../domain/errors/refusal.ts';
import type { Flow } from '../domain/flow.ts';
import type { Ms } from '../domain/time.ts';
import type { SimulatedDecision } from '../ports/simulation.ts';
import type { AttemptWithUser } from '../ports/store.ts';
import { collectResult } from './collect-result.ts';
import { findKnownAttempt } from './find-attempt.ts';
import type { SimulatorTools, Tools } from './tools.ts';

export interface Completion {
  readonly attemptId: string;
  readonly flow: Flow;
  readonly decision: SimulatedDecision;
  /** Null for the default person, or the listed one whose identifier was asked for. */
  readonly personId: string | null;
  /** Set with the authentication where a browser is to carry the proof of it. */
  readonly completion: CompletionProof | null;
}

/**
 * Decides for the person, in simulator mode. A second completion of an authenticated attempt
 * succeeds without effect, so that a client may repeat a request whose answer it never saw.
 * @throws Refusal `attempt.not_found`, `.wrong_flow`, `.expired`, `.rejected` or `.failed`
 */
export async function completeAttempt(
  tools: SimulatorTools,
  request: Completion,
  now: Ms,
): Promise<Attempt> {
  const known = await findCompletable(tools, request, now);
  if (attemptAt(known.attempt, now).state === 'pending') {
    tools.simulation.decide(known.attempt, request.decision, request.personId, now);
  }
  const decided = await collectResult(tools, known, now, request.completion);
  return attemptAt(decided.attempt, now);
}

/** Approves as the person whom the attempt is for. @throws Refusal as `completeAttempt` */
export function approveAttempt(
  tools: SimulatorTools,
  attempt: Pick<Completion, 'attemptId' | 'flow'>,
  now: Ms,
): Promise<Attempt> {
  const request = { ...attempt, decision: 'approve', personId: null, completion: null } as const;
  return completeAttempt(tools, request, now);
}

/** For `auto_complete: false`: checks everything and leaves the attempt as it is. @throws Refusal */
export async function findCompletable(
  tools: Tools,
  { attemptId, flow }: Pick<Completion, 'attemptId' | 'flow'>,
  now: Ms,
): Promise<AttemptWithUser> {
  const known = await findKnownAttempt(tools, attemptId);
  if (known.attempt.flow !== flow) throw new Refusal('attempt.wrong_flow');
  const current = await collectResult(tools, known, now);
  requireOpen(current.attempt, now);
  return current;
}

function requireOpen(record: AttemptRecord, now: Ms): void {
  const attempt = attemptAt(record, now);
  if (attempt.state === 'expired') throw new Refusal('attempt.expired');
  if (attempt.state === 'rejected') throw new Refusal('attempt.rejected');
  if (attempt.state === 'failed') throw new Refusal('attempt.failed');
}
