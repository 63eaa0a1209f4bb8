import { attemptAt, type AttemptRecord } from '../attempt.ts';
import { Refusal } from '../../errors/refusal.ts';
import { returnedState, stateDigest, type RedirectTransaction } from '../provider-transaction.ts';
import type { Ms } from '../../values/time.ts';
import type { Services } from '../services.flow.ts';

type Needs = Pick<Services, 'heldSpoils' | 'meter' | 'store'>;

/**
 * An attempt is spoiled when the provider's state was seen in another browser than the launching
 * one. A spoiled attempt signs in nobody (decision 0052). This file marks attempts as spoiled and
 * checks the mark.
 */

/** An attempt of the redirect flow, found by the provider's state. */
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
 * For a return whose headers were too large to be read, so that only its state is known: it may
 * come from a victim who was sent an attacker's sign-in. Unknown states and ended attempts are left
 * unchanged.
 * @param state as it stands in the query of the return, percent-decoded
 * @throws Refusal `storage.*` when the look-up fails; a write that fails is held in memory
 */
export async function spoilByState(services: Needs, state: string, now: Ms): Promise<void> {
  const found = await findByState(services, returnedState(state));
  if (found !== null) await spoil(services, found, now);
}

/**
 * The state was seen in another browser than the launching one, so the person approved in that
 * other browser. Whoever launched knows the state too, and may have sent the provider's address to
 * a victim. From now on the attempt can't be launched or authenticated; if it was authenticated and
 * not redeemed, it fails. This does not wait for the attempt's lock: an exchange in progress checks
 * the mark before it finishes.
 */
export async function spoil(
  services: Needs,
  { record, transaction }: ReturnedAttempt,
  now: Ms,
): Promise<void> {
  if (transaction.spoiledAt !== null || !isOpen(record, now)) return;
  services.heldSpoils.hold(record, now);
  try {
    await writeMark(services, record, now);
  } catch (error) {
    // The mark stays in memory, and is written later. The return is refused in any case, and its
    // answer must not reveal the store's error.
    if (!(error instanceof Refusal)) throw error;
  }
}

/**
 * Writes the marks that the store has not taken, one after the other, and ends at the first that it
 * does not take now. Until a mark is written, other instances do not know of it.
 */
export async function writeHeldSpoils(services: Needs, now: Ms): Promise<void> {
  for (const record of services.heldSpoils.unwritten(now)) {
    try {
      await writeMark(services, record, now);
    } catch (error) {
      services.heldSpoils.postpone(record.attemptId);
      if (!(error instanceof Refusal)) throw error;
      return;
    }
  }
}

async function writeMark(services: Needs, record: AttemptRecord, now: Ms): Promise<void> {
  const spoiled = await services.store.spoilAttempt(record.attemptId, now);
  if (spoiled) countSpoiled(services, record, now);
  services.heldSpoils.release(record.attemptId);
}

/** A pending attempt is only marked, and ends later; an authenticated one has failed now. */
function countSpoiled({ meter }: Needs, record: AttemptRecord, now: Ms): void {
  if (attemptAt(record, now).state !== 'authenticated') return;
  meter.signIn('failed', record, 'callback.browser_mismatch');
}

/** Whether the attempt can still become a login: it is pending or authenticated. */
export function isOpen(record: AttemptRecord, now: Ms): boolean {
  const { state } = attemptAt(record, now);
  return state === 'pending' || state === 'authenticated';
}

/** Also true while the mark is only in memory, because its write failed or has not finished. */
export function isSpoiled(
  { heldSpoils }: Pick<Services, 'heldSpoils'>,
  { record, transaction }: ReturnedAttempt,
): boolean {
  return transaction.spoiledAt !== null || heldSpoils.has(record.attemptId);
}
