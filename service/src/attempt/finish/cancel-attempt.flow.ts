import {
  attemptAt,
  cancel,
  CANCELLED,
  isCancelled,
  type Attempt,
  type AttemptRecord,
} from '../attempt.ts';
import { Refusal } from '../../errors/refusal.ts';
import type { Ms } from '../../values/time.ts';
import { findProvenAttempt, requireOwner } from '../read-attempt.flow.ts';
import type { Services } from '../services.flow.ts';

type Needs = Pick<Services, 'store' | 'rules' | 'clients' | 'meter' | 'withdrawPrompt'>;

interface CancelRequest {
  readonly attemptId: string;
  readonly attemptToken: string;
  /** The client whose key the request carried; null without a key. */
  readonly client: string | null;
}

/**
 * Ends an attempt that its application does not want any more: nobody can approve or redeem it then.
 * A push that was sent for it stays counted in every window of the budgets. Cancelling again succeeds
 * without effect, so that a request whose answer was lost can be repeated.
 * @throws Refusal `attempt.not_found`; for an attempt that was redeemed or has ended otherwise the
 * code of its state
 */
export async function cancelAttempt(
  services: Needs,
  request: CancelRequest,
  at: Ms,
): Promise<void> {
  const proven = await findProvenAttempt(services, request.attemptId, request.attemptToken);
  requireOwner(services, proven.attempt, request.client);
  if (await cancelPending(services, proven.attempt, at)) return;
  const found = (await services.store.findAttempt(proven.attempt.attemptId)) ?? proven;
  const attempt = attemptAt(found.attempt, at);
  if (!isCancelled(attempt)) throw refusalIn(attempt, at);
}

/** @returns whether it has ended by this, and not before */
export async function cancelPending(
  { store, meter, withdrawPrompt }: Pick<Needs, 'store' | 'meter' | 'withdrawPrompt'>,
  record: AttemptRecord,
  at: Ms,
): Promise<boolean> {
  const cancelled = await store.cancelAttempt({ attemptId: record.attemptId, at });
  if (cancelled === null) return false;
  meter.signIn('rejected', cancelled, CANCELLED);
  withdrawPrompt(record, at);
  return true;
}

/** @throws Refusal the code of its state */
function refusalIn(attempt: Attempt, at: Ms): Refusal {
  cancel(attempt, at);
  const cause = new Error('the store did not cancel an attempt that can be cancelled');
  return new Refusal('storage.unavailable', { cause });
}
