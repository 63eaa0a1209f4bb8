import type { AttemptReference } from './identity-provider.ts';
import type { RedirectTransaction } from '../domain/provider-transaction.ts';
import type { Ms } from '../domain/time.ts';
import type { Person } from '../domain/user.ts';

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
 * Identities that the provider vouches for with its signature: the only ones of live mode.
 *
 * - G-1: a person is given only for a token whose signature, issuer, audience, times, and binding
 *   to this very attempt (nonce and state, or transaction) have all been checked.
 * - G-2: `exchange` is asked once for a state: it is single use at the provider.
 * - G-3: anything else is a Refusal that says nothing of the token.
 */
export interface SignedResults {
  /** Null while the provider says that the person has not approved. @throws Refusal */
  exchange(back: ReturnedState, now: Ms): Promise<Person | null>;
  /** @throws Refusal `push.unverified`, or `provider.unavailable` when keys can't be had */
  readPush(
    message: PushMessage,
    expected: { readonly attempt: AttemptReference; readonly transactionId: string },
    now: Ms,
  ): Promise<SignedPush>;
}
