import type { AttemptId } from '../domain/attempt-id.ts';
import type { ErrorCode } from '../domain/errors/catalogue.ts';
import type { Flow } from '../domain/flow.ts';
import type { Locale } from '../domain/locale.ts';
import type { NationalId } from '../domain/national-id.ts';
import type { ProviderTransaction } from '../domain/provider-transaction.ts';
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

/** What the provider made of the start of an attempt. */
export interface ProviderStart {
  /** The number that the person has to match on the phone; null in the redirect flow. */
  readonly bindingCode: string | null;
  /** Null where the provider's transaction lives as long as the attempt. */
  readonly expiresAt: Ms | null;
  /** Null where the provider is in this process and forgets nothing that it needs. */
  readonly transaction: ProviderTransaction | null;
}

/** What is known of the person's decision. Only `approved` carries an identity. */
export type LoginResult =
  | { readonly result: 'waiting' }
  | { readonly result: 'approved'; readonly person: Person }
  /** The provider says so without proof: it authenticates nobody. */
  | { readonly result: 'unproven' }
  | { readonly result: 'rejected'; readonly reason: ErrorCode }
  | { readonly result: 'failed'; readonly reason: ErrorCode };

/** Where the person is, as far as the application says: reported on to the provider. */
export interface Caller {
  readonly address: string | null;
}

/**
 * The national identity provider, as the flows see it.
 *
 * - P-1: a failure is thrown as a Refusal with a `provider.*` or `push.*` code, never as an answer.
 * - P-2: `collect` never invents an identity: `approved` comes from a signed result, or from the
 *   simulator's own people.
 * - P-3: `collect` can be called any number of times and gives the same result once it has one.
 * - P-4: no secret and no identifier appears in a thrown error.
 * - P-5: what is begun at a remote provider has a transaction of its own and an expiry; in this
 *   process both are null.
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
 * - P-21: after the approval of a push it is `approved` in this process and `unproven` remotely.
 * - P-22: after a refusal it is `rejected`, because of `attempt.rejected`.
 * - P-23: attempts that are under way at the same time know nothing of each other.
 *
 * Who it was: told by `collect`, or by a remote provider's signature (ports/signed-results.ts)
 * - P-30: number, kind of document, gender and both names are those of the person who approved.
 * - P-31: a push that somebody else approved is `provider.mismatch`.
 * - P-32: a result that the provider has not soundly signed for this attempt gives nobody. In the
 *   redirect flow, where it is asked for once, it is `provider.bad_response`.
 * - P-33: a refusal names nobody, in either flow.
 */
export interface IdentityProvider {
  /** Whether asking is a call over the network: then the attempt is stored before it is asked. */
  readonly isRemote: boolean;
  /** Without an address for signed results no push could ever lead to an identity. */
  readonly hasPhoneFlow: boolean;
  /** Tells the provider that a browser will come for this attempt. @throws Refusal */
  openRedirect(attempt: AttemptReference, caller: Caller, now: Ms): Promise<ProviderStart>;
  /** Sends a prompt to the person's phone. @throws Refusal */
  requestPush(attempt: AttemptReference, caller: Caller, now: Ms): Promise<ProviderStart>;
  /** Asks what has become of an attempt. @throws Refusal */
  collect(
    attempt: AttemptReference,
    transaction: ProviderTransaction | null,
    now: Ms,
  ): Promise<LoginResult>;
}
