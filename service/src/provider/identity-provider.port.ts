import type { AttemptId } from '../values/ids.ts';
import type { Refusal } from '../errors/refusal.ts';
import type { ErrorCode } from '../errors/catalogue.ts';
import type { Flow } from '../attempt/flow.ts';
import type { Locale } from '../values/locale.ts';
import type { NationalId, ReportedPerson } from '../account/user.ts';
import type {
  KeptToken,
  ProviderTransaction,
  PushTransaction,
  RedirectTransaction,
} from '../attempt/provider-transaction.ts';
import type { Scenario } from '../attempt/scenario.ts';
import type { Ms } from '../values/time.ts';

/**
 * Everything that a provider needs to know of an attempt, even after either of them was restarted.
 */
export interface AttemptReference {
  readonly attemptId: AttemptId;
  readonly flow: Flow;
  readonly locale: Locale;
  readonly nationalId: NationalId | null;
  readonly bindingCode: string | null;
  readonly createdAt: Ms;
  readonly expiresAt: Ms;
  /** What a test has chosen, in simulator mode; always null in live mode. */
  readonly scenario: Scenario | null;
}

/** What a remote provider answered to the start of an attempt. */
export interface ProviderStart<Transaction extends ProviderTransaction> {
  /** The number that the person has to match on the phone; null in the redirect flow. */
  readonly bindingCode: string | null;
  /** When the provider's transaction expires; null where it lasts as long as the attempt. */
  readonly expiresAt: Ms | null;
  readonly transaction: Transaction;
}

/**
 * A transaction that no browser has returned from yet: it still has the address of the provider's
 * page.
 */
export type NewRedirect = RedirectTransaction & { readonly launchUrl: string };

/** What is known of the person's decision. Only `approved` contains an identity. */
export type LoginResult =
  | { readonly result: 'waiting' }
  | { readonly result: 'approved'; readonly person: ReportedPerson }
  | { readonly result: 'rejected'; readonly reason: ErrorCode }
  | { readonly result: 'failed'; readonly reason: ErrorCode };

/** A remote provider's status of a push. It is not signed, so it authenticates nobody. */
export type UnsignedResult = 'waiting' | 'approved' | 'rejected';

/** The person who signs in. */
export interface EndUser {
  /** Their network address as stated by the application, or null; the provider is told it. */
  readonly address: string | null;
}

/** The return of a browser from the provider. */
export interface ReturnedState {
  readonly state: string;
  /** The browser's network address, or null; the provider is told it. */
  readonly address: string | null;
  readonly attempt: AttemptReference;
  readonly transaction: RedirectTransaction;
}

/** The provider's message about a push. Only the token is signed; the other members are hints. */
export interface PushMessage {
  readonly token: string;
  readonly transId: string;
  readonly requestId: string;
}

/** The key of this token can't be known now. The refusal says why, and when to try again. */
export interface Unverified {
  readonly status: 'unverified';
  readonly kept: KeptToken;
  readonly refusal: Refusal;
}

/** What the return of a browser has brought; `refused` when the person has not approved. */
export type Exchanged =
  | Unverified
  | { readonly status: 'approved'; readonly person: ReportedPerson }
  | { readonly status: 'refused' };

export type SignedPush =
  | Unverified
  | { readonly status: 'approved'; readonly person: ReportedPerson }
  /** The person refused the prompt, or nobody answered it in time. */
  | { readonly status: 'rejected' | 'expired' };

/**
 * The national identity provider as the flows use it: over a network (`RemoteProvider`), or in this
 * process (`Simulation`). What a promise calls `collect` is asked of a simulation by `collect`
 * (simulate/simulation.port.ts), and of a remote provider by attempt/finish/remote-news.flow.ts.
 *
 * - P-1: a failure is thrown as a Refusal with a `provider.*` or `push.*` code; no failure is
 *   returned as a result.
 * - P-2: `collect` never invents an identity: `approved` comes from a signed result, or from the
 *   simulator's own people.
 * - P-3: `collect` can be called any number of times; once it has a result, it always gives that
 *   one.
 * - P-4: no secret and no identifier of a person appears in a thrown error.
 * - P-5: each start at a remote provider creates its own transaction. A provider in this process
 *   keeps nothing that it can't make again from the attempt.
 * - P-6: `openRedirect` can be called again for an attempt that already has a session, with another
 *   language: a remote provider then opens another session.
 *
 * Starting
 * - P-10: `requestPush` gives the number to match, in digits; `openRedirect` gives none.
 * - P-11: for a person whom the provider does not know the error is `provider.record_not_found`,
 *   with the reference number that the provider gave with its error.
 * - P-12: a person who already has an open prompt either causes `push.budget_spent` with a time to
 *   wait, or gets another push. No attempt ever gets another attempt's number or approval.
 * - P-13: if a gateway rejects our requests, or does not know the address, the error is
 *   `provider.misconfigured`.
 * - P-14: for an outage it is `provider.unavailable`, with a time to wait.
 * - P-15: if the answer is too slow, or is lost after the request was accepted, it is
 *   `provider.timeout`.
 * - P-16: if the answer can't be read, it is `provider.bad_response`.
 *
 * The person's decision
 * - P-20: `collect` gives `waiting` until the person has decided. For a redirect at a remote
 *   provider it always gives `waiting`, because only the return of the launching browser finishes
 *   it.
 * - P-21: after the approval of a push it gives `approved`: a provider in this process with the
 *   person, a remote one without.
 * - P-22: after the person refused it gives `rejected`, with the reason `attempt.rejected`.
 * - P-23: attempts that are open at the same time do not influence each other.
 *
 * The identity, given by `collect` or by a remote provider's signed result
 * - P-30: number, document type, gender, and, where it gives them, both names and the day of birth are
 *   those of the person who approved.
 * - P-31: if another person approved the push, the error is `provider.mismatch`.
 * - P-32: a result without a valid signature of the provider for this attempt gives no identity. In
 *   the redirect flow, where the result is requested only once, the error is
 *   `provider.bad_response`.
 * - P-33: a refusal contains no identity, in either flow.
 *
 * Signed results of a remote provider, the only source of identities in live mode
 * - G-1: a person is given only for a token whose signature, issuer, audience, times, and binding
 *   to exactly this attempt (nonce and state, or transaction) have all been checked.
 * - G-2: `exchange` is called only once for a state, because a state is single use at the provider.
 * - G-3: every other token causes a Refusal that says nothing of the token's content.
 * - G-4: a token whose key can't be known yet is neither accepted nor refused: it is `unverified`,
 *   and may be read again. Its times are then compared with the time at which it came.
 */

/** A provider that is called over a network: an answer can be late, lost or forged. */
export interface RemoteProvider {
  /** False when no address for signed results is set: without them a push gives no identity. */
  readonly hasPhoneFlow: boolean;
  /** Tells the provider that a browser will come for this attempt. @throws Refusal */
  openRedirect(attempt: AttemptReference, endUser: EndUser): Promise<ProviderStart<NewRedirect>>;
  /** Sends a prompt to the person's phone. @throws Refusal */
  requestPush(attempt: AttemptReference, endUser: EndUser): Promise<ProviderStart<PushTransaction>>;
  /** Asks for the status of a push. @throws Refusal */
  collectPush(
    attempt: AttemptReference,
    transaction: PushTransaction,
    now: Ms,
  ): Promise<UnsignedResult>;
  /** @throws Refusal */
  exchange(back: ReturnedState): Promise<Exchanged>;
  /** Verifies the token of an earlier exchange. @throws Refusal */
  verifyKept(kept: KeptToken, back: ReturnedState): Promise<Exchanged>;
  /**
   * Verifies a push message.
   * @param cameAt when it came; null for one that comes now
   * @throws Refusal `push.unverified`
   */
  readPush(
    message: PushMessage,
    expected: { readonly attempt: AttemptReference; readonly transactionId: string },
    cameAt: Ms | null,
  ): Promise<SignedPush>;
}
