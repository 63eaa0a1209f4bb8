import type { AttemptId } from '../domain/attempt-id.ts';
import type { ErrorCode } from '../domain/errors/catalogue.ts';
import type { Flow } from '../domain/flow.ts';
import type { Locale } from '../domain/locale.ts';
import type { NationalId } from '../domain/national-id.ts';
import type {
  ProviderTransaction,
  PushTransaction,
  RedirectTransaction,
} from '../domain/provider-transaction.ts';
import type { Ms } from '../domain/time.ts';
import type { Person } from '../domain/user.ts';

/** Everything that a provider needs to know of an attempt, also after a restart of either. */
export interface AttemptReference {
  readonly attemptId: AttemptId;
  readonly flow: Flow;
  readonly locale: Locale;
  readonly nationalId: NationalId | null;
  readonly bindingCode: string | null;
  readonly createdAt: Ms;
  readonly expiresAt: Ms;
}

/** What a remote provider answered when it was asked to begin. */
export interface ProviderStart<Transaction extends ProviderTransaction> {
  /** The number that the person has to match on the phone; null in the redirect flow. */
  readonly bindingCode: string | null;
  /** Null where the provider's transaction lives as long as the attempt. */
  readonly expiresAt: Ms | null;
  readonly transaction: Transaction;
}

/** Before any browser has come back, the address of the provider's page is there. */
export type NewRedirect = RedirectTransaction & { readonly launchUrl: string };

/** What is known of the person's decision. Only `approved` carries an identity. */
export type LoginResult =
  | { readonly result: 'waiting' }
  | { readonly result: 'approved'; readonly person: Person }
  | { readonly result: 'rejected'; readonly reason: ErrorCode }
  | { readonly result: 'failed'; readonly reason: ErrorCode };

/** What a remote provider says of a push, without a signature: it authenticates nobody. */
export type UnsignedResult = 'waiting' | 'approved' | 'rejected';

/** The person who signs in. */
export interface EndUser {
  /** Where they are, as far as the application says: reported on to the provider. */
  readonly address: string | null;
}

/** A browser that has come back from the provider. */
export interface ReturnedState {
  readonly state: string;
  /** Where the browser is: reported on to the provider. */
  readonly address: string | null;
  readonly attempt: AttemptReference;
  readonly transaction: RedirectTransaction;
}

/** The provider's message about a push. What is outside the token is only a hint. */
export interface PushMessage {
  readonly token: string;
  readonly transId: string;
  readonly requestId: string;
}

export type SignedPush =
  | { readonly status: 'approved'; readonly person: Person }
  /** The person refused, or nobody answered in time. */
  | { readonly status: 'rejected' | 'expired' };

/**
 * The national identity provider, as the flows see it: in this process, or over a network.
 *
 * - P-1: a failure is thrown as a Refusal with a `provider.*` or `push.*` code, never as an answer.
 * - P-2: `collect` never invents an identity: `approved` comes from a signed result, or from the
 *   simulator's own people.
 * - P-3: `collect` can be called any number of times and gives the same result once it has one.
 * - P-4: no secret and no identifier appears in a thrown error.
 * - P-5: what is begun at a remote provider has a transaction of its own; a provider in this process
 *   keeps nothing that it can't make again from the attempt.
 * - P-6: `openRedirect` can be called again for an attempt that has a session, in another language:
 *   a remote provider opens another one.
 *
 * Beginning
 * - P-10: `requestPush` gives the number to match, in digits; `openRedirect` gives none.
 * - P-11: somebody whom the provider does not know is `provider.record_not_found`, with the number
 *   that the provider gave its refusal.
 * - P-12: somebody who is being asked already is `push.budget_spent` with a time to wait, or gets a
 *   push of its own. Nobody is ever given another attempt's number, or another one's approval.
 * - P-13: a gateway that refuses us, or does not know the address, is `provider.misconfigured`.
 * - P-14: an outage is `provider.unavailable`, with a time to wait.
 * - P-15: an answer that is too slow, or lost after the request was taken, is `provider.timeout`.
 * - P-16: an answer that can't be read is `provider.bad_response`.
 *
 * What has become of it
 * - P-20: `collect` is `waiting` until the person has decided; a remote provider's redirect always,
 *   because it ends in the browser that began it.
 * - P-21: after the approval of a push it is `approved`: with the person in this process, and
 *   without one remotely.
 * - P-22: after a refusal it is `rejected`, because of `attempt.rejected`.
 * - P-23: attempts that are under way at the same time know nothing of each other.
 *
 * Who it was: told by `collect`, or by a remote provider's signature
 * - P-30: number, kind of document, gender and both names are those of the person who approved.
 * - P-31: a push that somebody else approved is `provider.mismatch`.
 * - P-32: a result that the provider has not soundly signed for this attempt gives nobody. In the
 *   redirect flow, where it is asked for once, it is `provider.bad_response`.
 * - P-33: a refusal names nobody, in either flow.
 *
 * What a remote provider vouches for with its signature: the only identities of live mode
 * - G-1: a person is given only for a token whose signature, issuer, audience, times, and binding
 *   to this very attempt (nonce and state, or transaction) have all been checked.
 * - G-2: `exchange` is asked once for a state: it is single use at the provider.
 * - G-3: anything else is a Refusal that says nothing of the token.
 */

/** In this process: asking costs nothing, and no answer can be lost. */
export interface LocalProvider {
  /** Tells the provider that a browser will come for this attempt. @throws Refusal */
  openRedirect(attempt: AttemptReference): Promise<void>;
  /** Sends a prompt to the person's phone. @returns the number to match. @throws Refusal */
  requestPush(attempt: AttemptReference): Promise<string>;
  /** Asks what has become of an attempt. @throws Refusal */
  collect(attempt: AttemptReference, now: Ms): Promise<LoginResult>;
}

/** Over a network: an answer can be late, lost or forged. */
export interface RemoteProvider {
  /** False without an address for signed results: no push could lead to an identity. */
  readonly hasPhoneFlow: boolean;
  /** Tells the provider that a browser will come for this attempt. @throws Refusal */
  openRedirect(attempt: AttemptReference, endUser: EndUser): Promise<ProviderStart<NewRedirect>>;
  /** Sends a prompt to the person's phone. @throws Refusal */
  requestPush(attempt: AttemptReference, endUser: EndUser): Promise<ProviderStart<PushTransaction>>;
  /** Asks what has become of a push. @throws Refusal */
  collectPush(
    attempt: AttemptReference,
    transaction: PushTransaction,
    now: Ms,
  ): Promise<UnsignedResult>;
  /** Null while the provider says that the person has not approved. @throws Refusal */
  exchange(back: ReturnedState): Promise<Person | null>;
  /** @throws Refusal `push.unverified`, or `provider.unavailable` when keys can't be had */
  readPush(
    message: PushMessage,
    expected: { readonly attempt: AttemptReference; readonly transactionId: string },
  ): Promise<SignedPush>;
}
