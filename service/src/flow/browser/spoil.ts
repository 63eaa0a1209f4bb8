import { attemptAt, type AttemptRecord } from '../../domain/attempt.ts';
import { Refusal } from '../../domain/errors/refusal.ts';
import {
  returnedState,
  stateDigest,
  type RedirectTransaction,
} from '../../domain/provider-transaction.ts';
import type { Ms } from '../../domain/time.ts';
import type { Services } from '../services.ts';

type Needs = Pick<Services, 'heldSpoils' | 'store'>;

/**
 * Spoiled: the provider's state was seen in another browser than the launching one, and the attempt
 * signs in nobody any more (decision 0052). Here is what makes an attempt so, and what asks for it.
 */

/** An attempt by redirect, found by the state of the provider. */
export interface ReturnedAttempt {
  readonly record: AttemptRecord;
  readonly transaction: RedirectTransaction;
}

export async function findByState(
  { store }: Pick<Services, 'store'>,
  state: string,
): Promise<ReturnedAttempt | null> {
  const found = await store.findByState(stateDigest(state));
  if (found?.transaction.kind !== 'redirect') return null;
  return { record: found.attempt, transaction: found.transaction };
}

/**
 * For a return whose headers were too large to be read, so that only its state is known: it may come
 * from a victim who was sent an attacker's sign-in. Unknown states and attempts that have ended are
 * left as they are.
 * @param state as it stands in the query of the return, percent-decoded
 * @throws Refusal `storage.*` when it can't be looked up; a write that fails is held in memory
 */
export async function spoilByState(services: Needs, state: string, now: Ms): Promise<void> {
  const found = await findByState(services, returnedState(state));
  if (found !== null) await spoil(services, found, now);
}

/**
 * The state has been seen in another browser than it was launched in, so that is where the person
 * has approved: whoever launched knows the state too, and may have sent the provider's address on.
 * From now on the attempt is neither launched nor authenticated, and what was authenticated and not
 * redeemed fails. It takes no turn: an exchange under way looks for the mark before it finishes.
 */
export async function spoil(
  services: Needs,
  { record, transaction }: ReturnedAttempt,
  now: Ms,
): Promise<void> {
  const { attemptId } = record;
  if (transaction.spoiledAt !== null || !isOpen(record, now)) return;
  services.heldSpoils.hold(attemptId, now);
  try {
    await services.store.spoilAttempt(attemptId, now);
    services.heldSpoils.release(attemptId);
  } catch (error) {
    // It stays held. Whoever came back is refused in any case, and told nothing of the store.
    if (!(error instanceof Refusal)) throw error;
  }
}

/** Whether the attempt can still become a login. */
export function isOpen(record: AttemptRecord, now: Ms): boolean {
  const { state } = attemptAt(record, now);
  return state === 'pending' || state === 'authenticated';
}

/** Also true while the mark is in memory only, because the write failed or has not finished. */
export function isSpoiled(
  { heldSpoils }: Pick<Services, 'heldSpoils'>,
  { record, transaction }: ReturnedAttempt,
): boolean {
  return transaction.spoiledAt !== null || heldSpoils.has(record.attemptId);
}
