import type { AttemptId } from '../../domain/attempt-id.ts';
import { attemptAt, type AttemptRecord, type CompletionProof } from '../../domain/attempt.ts';
import { browserDigest } from '../../domain/browser-secret.ts';
import {
  COMPLETION_CODE_BYTES,
  COMPLETION_CODE_LIFETIME_MS,
  completionCodeDigest,
  makeCompletionCode,
} from '../../domain/completion-code.ts';
import { NO_DIGEST, sameDigest } from '../../domain/digest.ts';
import { Refusal } from '../../domain/errors/refusal.ts';
import { returnErrorOf, type ReturnError } from '../../domain/return-error.ts';
import type { Secret } from '../../domain/secret.ts';
import type { Ms } from '../../domain/time.ts';
import type { Person } from '../../domain/user.ts';
import { endOnFinalError } from '../outcome/end-on-final-error.ts';
import { finishLogin, type LoginServices } from '../outcome/finish-login.ts';
import { countRepeat, type ReportServices } from '../report.ts';
import { findByState, isOpen, isSpoiled, spoil, type ReturnedAttempt } from './spoil.ts';
import type { LiveServices } from '../services.ts';

type Needs = LoginServices &
  ReportServices &
  Pick<LiveServices, 'attemptLock' | 'heldSpoils' | 'provider' | 'random'>;

export interface BrowserReturn {
  readonly state: string;
  /** The secret that this browser holds for an attempt, or null. */
  readonly cookieOf: (attemptId: string) => string | null;
  /** Counts a return of the launching browser. @throws Refusal `rate_limited` */
  readonly admit: (attemptId: AttemptId) => Promise<void>;
  /** Counts every other one, after it has had its effect. @throws Refusal `rate_limited` */
  readonly admitStranger: () => Promise<void>;
  /** Where the browser is, for the provider. */
  readonly address: string;
}

/** What the launching browser is led to the application with. */
export type Returned =
  | { readonly record: AttemptRecord; readonly completionCode: Secret }
  | { readonly record: AttemptRecord; readonly error: ReturnError };

/**
 * The browser comes back from the provider. The order is the defence: whose browser it is comes
 * before anything is asked of the provider, so a state that was sent to a victim achieves nothing.
 * A return in another browser spoils the attempt before anything is counted or waited for: nobody
 * can keep it from having its effect.
 * @throws Refusal `attempt.not_found`, `callback.browser_mismatch`, `rate_limited` or `provider.*`
 */
export async function finishReturn(
  services: Needs,
  back: BrowserReturn,
  now: Ms,
): Promise<Returned> {
  const found = await findByState(services, back.state);
  if (found === null || !isSameBrowser(found, back)) {
    throw await refuseStranger(services, found, back, now);
  }
  const { attemptId } = found.record;
  await back.admit(attemptId);
  if (!isOpen(found.record, now)) return leadBack(found, now);
  // A state can be exchanged once: the same browser twice at once must not be its own rival.
  return services.attemptLock.run(attemptId, () => finishInTurn(services, back, now));
}

async function finishInTurn(services: Needs, back: BrowserReturn, now: Ms): Promise<Returned> {
  const found = await findByState(services, back.state);
  if (found === null) throw new Refusal('attempt.not_found');
  const { state } = attemptAt(found.record, now);
  if (state === 'pending') return exchange(services, found, back, now);
  return state === 'authenticated' ? renew(services, found, now) : leadBack(found, now);
}

/** The person has refused, or was too late: the application hears of it. @throws Refusal */
function leadBack({ record }: ReturnedAttempt, now: Ms): Returned {
  const error = returnErrorOf(attemptAt(record, now));
  if (error === null) throw new Refusal('attempt.not_found');
  return { record, error };
}

function isSameBrowser(
  { record, transaction }: ReturnedAttempt,
  { cookieOf }: BrowserReturn,
): boolean {
  const cookie = cookieOf(record.attemptId);
  const presented = cookie === null ? NO_DIGEST : browserDigest(cookie);
  const bound = transaction.browserDigest;
  return bound !== null && cookie !== null && sameDigest(bound, presented);
}

/**
 * All are counted. The first one that meets an open attempt changes something, and the store writes
 * a row for it; the limit comes after that. What has ended is answered like what has never been.
 */
async function refuseStranger(
  services: Needs,
  found: ReturnedAttempt | null,
  back: BrowserReturn,
  now: Ms,
): Promise<Refusal> {
  const isMismatch = found !== null && isOpen(found.record, now);
  if (isMismatch) {
    await spoil(services, found, now);
    const { attemptId, client } = found.record;
    countRepeat(services, { at: now, action: 'browser.mismatch', attemptId, client });
  }
  await back.admitStranger();
  return new Refusal(isMismatch ? 'callback.browser_mismatch' : 'attempt.not_found');
}

/** The browser that launched, after the state was seen in another one. */
async function refuseSpoiled(
  services: Needs,
  { record }: ReturnedAttempt,
  at: Ms,
): Promise<Refusal> {
  const reason = 'callback.browser_mismatch';
  await services.store.failAttempt({ attemptId: record.attemptId, at, reason });
  return new Refusal(reason);
}

/**
 * The state is spent, or nobody knows whether it is, or the provider has said no: whoever launched
 * has one try, and can't ask until the person has approved. Only an outage leaves a second one.
 */
const SETTLING = new Set([
  'assurance.insufficient',
  'provider.bad_response',
  'provider.mismatch',
  'provider.misconfigured',
  'provider.timeout',
] as const);

async function exchange(
  services: Needs,
  found: ReturnedAttempt,
  { state, address }: BrowserReturn,
  now: Ms,
): Promise<Returned> {
  const { record, transaction } = found;
  const { attemptId } = record;
  // Versions before the mark took only the address away.
  if (isSpoiled(services, found) || transaction.launchUrl === null) {
    throw await refuseSpoiled(services, found, now);
  }
  const returned = { state, address, attempt: record, transaction };
  const person = await services.provider.exchange(returned).catch(async (error: unknown) => {
    await endOnFinalError(services, attemptId, SETTLING, error, now);
    throw error;
  });
  if (person === null) {
    await services.store.rejectAttempt({ attemptId, at: now, reason: 'attempt.rejected' });
    return { record, error: 'access_denied' };
  }
  return finish(services, found, person, now);
}

async function finish(
  services: Needs,
  found: ReturnedAttempt,
  person: Person,
  now: Ms,
): Promise<Returned> {
  if (isSpoiled(services, found)) throw await refuseSpoiled(services, found, now);
  const { code, proof } = newCompletion(services, now);
  const finished = await finishLogin(services, found.record, person, proof, now);
  if (finished === null) return refuseUnfinished(services, found, now);
  return { record: finished.attempt, completionCode: code };
}

/** Between the exchange and the write it has ended, or was spoiled. @throws Refusal */
async function refuseUnfinished(
  services: Needs,
  { record }: ReturnedAttempt,
  now: Ms,
): Promise<never> {
  const found = await services.store.findTransaction(record.attemptId);
  const isMarked = found?.transaction.kind === 'redirect' && found.transaction.spoiledAt !== null;
  if (isMarked) {
    throw await refuseSpoiled(services, { record, transaction: found.transaction }, now);
  }
  throw new Refusal('attempt.not_found');
}

/** The same browser again, perhaps because the answer before was lost: a new code, the old one ends. */
async function renew(services: Needs, found: ReturnedAttempt, now: Ms): Promise<Returned> {
  if (isSpoiled(services, found)) throw await refuseSpoiled(services, found, now);
  const { code, proof } = newCompletion(services, now);
  const { attemptId } = found.record;
  const renewed = await services.store.rotateCompletion({ attemptId, at: now, completion: proof });
  if (renewed === null) throw new Refusal('attempt.not_found');
  return { record: renewed, completionCode: code };
}

function newCompletion({ random }: Needs, now: Ms): { code: Secret; proof: CompletionProof } {
  const code = makeCompletionCode(random.bytes(COMPLETION_CODE_BYTES));
  const digest = completionCodeDigest(code.reveal());
  return { code, proof: { digest, expiresAt: now + COMPLETION_CODE_LIFETIME_MS } };
}
