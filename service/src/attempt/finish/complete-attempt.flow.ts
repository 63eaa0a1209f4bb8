import {
  attemptAt,
  requireCompleted,
  type Attempt,
  type AttemptRecord,
  type CompletionProof,
} from '../attempt.ts';
import { ownFlow } from '../../errors/notes.ts';
import { Refusal } from '../../errors/refusal.ts';
import type { Flow } from '../flow.ts';
import type { Ms } from '../../values/time.ts';
import type { SimulatedDecision } from '../../simulate/simulation.port.ts';
import type { AttemptWithUser } from '../../store/ports/store.port.ts';
import {
  collectResult,
  storeResult,
  type CollectServices,
  findKnownAttempt,
} from '../read-attempt.flow.ts';
import type { SimulatorServices } from '../services.flow.ts';

export type CompletionServices = CollectServices & Pick<SimulatorServices, 'simulation'>;

interface AttemptRequest {
  readonly attemptId: string;
  readonly flow: Flow;
}

export interface Completion extends AttemptRequest {
  readonly decision: SimulatedDecision;
  /**
   * The test person who decides; null for the listed person with the attempt's identifier, or else
   * the default person.
   */
  readonly personId: string | null;
  /**
   * The completion code's digest and expiry, when a browser finishes the sign-in; null otherwise.
   */
  readonly completion: CompletionProof | null;
}

/**
 * Decides in place of the person, in simulator mode. Completing an authenticated attempt again
 * succeeds without effect, so that a client can repeat a request whose answer it did not receive.
 * @throws Refusal `attempt.not_found`, `.wrong_flow`, `.expired`, `.rejected`, `.cancelled` or
 * `.failed`, and `.pending` when the provider has not applied the decision
 */
export async function completeAttempt(
  services: CompletionServices,
  request: Completion,
  now: Ms,
): Promise<Attempt> {
  const known = await findCompletable(services, request, now);
  const decided = await decideIfPending(services, known, request, now);
  return requireEffect(attemptAt(decided.attempt, now), request.decision);
}

async function decideIfPending(
  services: CompletionServices,
  known: AttemptWithUser,
  { decision, personId, completion }: Completion,
  at: Ms,
): Promise<AttemptWithUser> {
  if (attemptAt(known.attempt, at).state !== 'pending') return known;
  const news = await services.simulation.decide(known.attempt, decision, personId, at);
  return storeResult(services, known, news, { at, completion });
}

/** The provider's result counts, not this decision: another decision may have come first. */
function requireEffect(attempt: Attempt, decision: SimulatedDecision): Attempt {
  const isDone = decision !== 'approve' && attempt.state !== 'pending';
  return isDone ? attempt : requireCompleted(attempt);
}

/** Approves as the person whose identifier the attempt has. @throws Refusal as `completeAttempt` */
export function approveAttempt(
  services: CompletionServices,
  request: AttemptRequest,
  now: Ms,
): Promise<Attempt> {
  const approval = { ...request, decision: 'approve', personId: null, completion: null } as const;
  return completeAttempt(services, approval, now);
}

/**
 * For `auto_complete: false`: checks the request and leaves the attempt unchanged.
 * @throws Refusal
 */
export async function leaveAttempt(
  services: CollectServices,
  request: AttemptRequest,
  now: Ms,
): Promise<Attempt> {
  const { attempt } = await findCompletable(services, request, now);
  return attemptAt(attempt, now);
}

async function findCompletable(
  services: CollectServices,
  { attemptId, flow }: AttemptRequest,
  now: Ms,
): Promise<AttemptWithUser> {
  const known = await findKnownAttempt(services, attemptId);
  const isExpired = attemptAt(known.attempt, now).state === 'expired';
  if (isExpired) throw new Refusal('attempt.expired');
  if (known.attempt.flow !== flow) {
    throw new Refusal('attempt.wrong_flow', { note: ownFlow(known.attempt.flow) });
  }
  const current = await collectResult(services, known, now);
  requireOpen(current.attempt, now);
  return current;
}

function requireOpen(record: AttemptRecord, now: Ms): void {
  const attempt = attemptAt(record, now);
  if (attempt.state !== 'pending') requireCompleted(attempt);
}
