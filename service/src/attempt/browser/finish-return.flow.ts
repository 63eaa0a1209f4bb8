import type { AttemptId } from '../../values/ids.ts';
import { attemptAt, type AttemptRecord, type CompletionProof } from '../attempt.ts';
import { browserDigest } from './browser-secret.ts';
import {
  COMPLETION_CODE_BYTES,
  COMPLETION_CODE_LIFETIME_MS,
  completionCodeDigest,
  makeCompletionCode,
} from '../redeem/completion-code.ts';
import { NO_DIGEST, type Secret, sameDigest } from '../../values/secret.ts';
import { Refusal } from '../../errors/refusal.ts';
import { returnErrorOf, type ReturnError } from './return-error.ts';
import type { Ms } from '../../values/time.ts';
import type { ReportedPerson } from '../../account/user.ts';
import type {
  Exchanged,
  ReturnedState,
  Unverified,
} from '../../provider/identity-provider.port.ts';
import { failAttempt, rejectAttempt } from '../finish/end-attempt.flow.ts';
import { endOnFinalError } from '../finish/end-on-final-error.flow.ts';
import { finishLogin, type LoginServices } from '../finish/finish-login.flow.ts';
import { reportRefusedToken } from '../finish/report-refused-token.flow.ts';
import { countRepeat, type ReportServices } from '../../audit/report.flow.ts';
import { requireReturnTarget } from './return-target.flow.ts';
import { findByState, isOpen, isSpoiled, spoil, type ReturnedAttempt } from './spoil.flow.ts';
import type { LiveServices } from '../services.flow.ts';

export type ReturnNeeds = LoginServices &
  ReportServices &
  Pick<
    LiveServices,
    'attemptLock' | 'clients' | 'openidReturn' | 'heldSpoils' | 'provider' | 'random'
  >;

export interface BrowserReturn {
  readonly state: string;
  /** The secret in this browser's cookie for an attempt, or null. */
  readonly cookieOf: (attemptId: string) => string | null;
  /**
   * Counts a return of the launching browser against its rate limit.
   * @throws Refusal `rate_limited`
   */
  readonly admit: (attemptId: AttemptId) => Promise<void>;
  /** Counts any other return, after its effect is written. @throws Refusal `rate_limited` */
  readonly admitStranger: () => Promise<void>;
  /** The browser's network address, which the provider is told. */
  readonly address: string | null;
}

/** What the launching browser takes to the application: a completion code or an error. */
export type Returned =
  | { readonly record: AttemptRecord; readonly completionCode: Secret }
  | { readonly record: AttemptRecord; readonly error: ReturnError };

/** The provider's key for the token can't be known yet: the browser is to come back. */
export interface Unverifiable {
  readonly record: AttemptRecord;
  readonly waitSeconds: number;
}

/**
 * Handles the return of the browser from the provider. The order of the steps is the protection:
 * the browser is checked before the provider is asked anything, so an attacker who sends a state to
 * a victim achieves nothing. A return in another browser spoils the attempt before the rate limit
 * and before any wait, so that nobody can prevent the spoiling. A return address that is no longer
 * the client's gets nothing, and the provider is not asked.
 * @throws Refusal `attempt.not_found`, `callback.browser_mismatch`, `rate_limited` or `provider.*`
 */
export async function finishReturn(
  services: ReturnNeeds,
  back: BrowserReturn,
  now: Ms,
): Promise<Returned | Unverifiable> {
  const found = await findByState(services, back.state);
  if (found === null || !isSameBrowser(found, back)) {
    throw await refuseStranger(services, found, back, now);
  }
  const { attemptId } = found.record;
  await back.admit(attemptId);
  requireReturnTarget(services, found.record);
  if (!isOpen(found.record, now)) return returnWithError(found, now);
  // A state can be exchanged only once, so two simultaneous returns of the same browser take turns.
  return services.attemptLock.run(attemptId, () => finishUnderLock(services, back, now));
}

async function finishUnderLock(
  services: ReturnNeeds,
  back: BrowserReturn,
  now: Ms,
): Promise<Returned | Unverifiable> {
  const found = await findByState(services, back.state);
  if (found === null) throw new Refusal('attempt.not_found');
  const { state } = attemptAt(found.record, now);
  if (state === 'pending') return exchange(services, found, back, now);
  return state === 'authenticated' ? renew(services, found, now) : returnWithError(found, now);
}

/**
 * For an attempt that the person refused or that expired: the application gets the error.
 * @throws Refusal
 */
export function returnWithError({ record }: ReturnedAttempt, now: Ms): Returned {
  const error = returnErrorOf(attemptAt(record, now));
  if (error === null) throw new Refusal('attempt.not_found');
  return { record, error };
}

export function isSameBrowser(
  { record, transaction }: ReturnedAttempt,
  { cookieOf }: Pick<BrowserReturn, 'cookieOf'>,
): boolean {
  const cookie = cookieOf(record.attemptId);
  const presented = cookie === null ? NO_DIGEST : browserDigest(cookie);
  const bound = transaction.browserDigest;
  return bound !== null && cookie !== null && sameDigest(bound, presented);
}

/**
 * Every such return is counted. The first one for an open attempt spoils it, and the store writes
 * an audit row for that; the rate limit is applied afterwards. An ended attempt gets the same
 * answer as an unknown one.
 */
async function refuseStranger(
  services: ReturnNeeds,
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

/** For the launching browser, after the state was seen in another browser: the attempt fails. */
async function refuseSpoiled(
  services: ReturnNeeds,
  { record }: Pick<ReturnedAttempt, 'record'>,
  at: Ms,
): Promise<Refusal> {
  const reason = 'callback.browser_mismatch';
  await failAttempt(services, { attemptId: record.attemptId, at, reason });
  return new Refusal(reason);
}

/**
 * Errors after which the attempt fails: the state has been exchanged, or may have been, or the
 * provider has refused. One exchange is all an attempt gets, so that whoever launched it can't
 * repeat the question until the person has approved. Only an outage of the provider permits a
 * second exchange.
 */
const FINAL_ERRORS = new Set([
  'assurance.insufficient',
  'provider.bad_response',
  'provider.mismatch',
  'provider.misconfigured',
  'provider.timeout',
] as const);

const WAIT_SECONDS = 5;

async function exchange(
  services: ReturnNeeds,
  found: ReturnedAttempt,
  { state, address }: BrowserReturn,
  now: Ms,
): Promise<Returned | Unverifiable> {
  const { record, transaction } = found;
  const { attemptId } = record;
  // Earlier versions had no spoiled mark: they marked such an attempt by erasing its launch
  // address.
  if (isSpoiled(services, found) || transaction.launchUrl === null) {
    throw await refuseSpoiled(services, found, now);
  }
  const returned = { state, address, attempt: record, transaction };
  const exchanged = await askOnce(services, returned).catch(async (error: unknown) => {
    await endOnFinalError(services, attemptId, FINAL_ERRORS, error, now);
    await reportRefusedToken(services, record, error, { at: now, source: 'answer' });
    throw error;
  });
  switch (exchanged.status) {
    case 'approved':
      return finish(services, found, exchanged.person, now);
    case 'unverified':
      return keepWaiting(services, found, exchanged, now);
    case 'refused':
      await rejectAttempt(services, { attemptId, at: now, reason: 'attempt.rejected' });
      return { record, error: 'access_denied' };
  }
}

/**
 * A state can be exchanged once. If that was done, its token is kept, and verified now. Only when an
 * instance ends between the provider's answer and the write of its token is the token lost: the
 * state is then asked for again, and the provider no longer has it.
 */
function askOnce({ provider }: ReturnNeeds, back: ReturnedState): Promise<Exchanged> {
  const [kept] = back.transaction.keptTokens;
  return kept === undefined ? provider.exchange(back) : provider.verifyKept(kept, back);
}

/** Keeps the token for the next return of this browser, which may come to another instance. */
async function keepWaiting(
  services: ReturnNeeds,
  { record, transaction }: ReturnedAttempt,
  { kept, refusal }: Unverified,
  at: Ms,
): Promise<Unverifiable> {
  const { attemptId } = record;
  if (transaction.keptTokens.length === 0) {
    const isKept = await services.store.keepTokens({ attemptId, at, tokens: [kept] });
    // The attempt ended or was spoiled meanwhile.
    if (!isKept) throw await refuseUnfinished(services, { record, transaction }, at);
  }
  return { record, waitSeconds: refusal.details.retryAfterSeconds ?? WAIT_SECONDS };
}

async function finish(
  services: ReturnNeeds,
  found: ReturnedAttempt,
  person: ReportedPerson,
  now: Ms,
): Promise<Returned> {
  if (isSpoiled(services, found)) throw await refuseSpoiled(services, found, now);
  const { code, proof } = newCompletion(services, now);
  const finished = await finishLogin(services, found.record, person, proof, now);
  if (finished === null) throw await refuseUnfinished(services, found, now);
  return { record: finished.attempt, completionCode: code };
}

/** The attempt ended or was spoiled after the exchange and before the write. */
async function refuseUnfinished(
  services: ReturnNeeds,
  { record }: ReturnedAttempt,
  now: Ms,
): Promise<Refusal> {
  const transaction = (await services.store.findTransaction(record.attemptId))?.transaction;
  const isRedirect = transaction?.kind === 'redirect';
  return isRedirect && isSpoiled(services, { record, transaction })
    ? refuseSpoiled(services, { record }, now)
    : new Refusal('attempt.not_found');
}

/**
 * The same browser returns again, perhaps because it lost the answer: it gets a new code, and the
 * old code becomes invalid.
 */
export async function renew(
  services: ReturnNeeds,
  found: ReturnedAttempt,
  now: Ms,
): Promise<Returned> {
  if (isSpoiled(services, found)) throw await refuseSpoiled(services, found, now);
  const { code, proof } = newCompletion(services, now);
  const { attemptId } = found.record;
  const renewed = await services.store.rotateCompletion({ attemptId, at: now, completion: proof });
  if (renewed === null) throw new Refusal('attempt.not_found');
  return { record: renewed, completionCode: code };
}

function newCompletion({ random }: ReturnNeeds, now: Ms): { code: Secret; proof: CompletionProof } {
  const code = makeCompletionCode(random.bytes(COMPLETION_CODE_BYTES));
  const digest = completionCodeDigest(code.reveal());
  return { code, proof: { digest, expiresAt: now + COMPLETION_CODE_LIFETIME_MS } };
}
