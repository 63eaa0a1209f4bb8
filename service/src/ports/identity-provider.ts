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
export interface Begun {
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
 */
export interface IdentityProvider {
  /** Whether asking is a call over the network: then the attempt is stored before it is asked. */
  readonly isRemote: boolean;
  /** Without an address for signed results no push could ever lead to an identity. */
  readonly hasPhoneFlow: boolean;
  /** Tells the provider that a browser will come for this attempt. @throws Refusal */
  openRedirect(attempt: AttemptReference, caller: Caller, now: Ms): Promise<Begun>;
  /** Sends a prompt to the person's phone. @throws Refusal */
  requestPush(attempt: AttemptReference, caller: Caller, now: Ms): Promise<Begun>;
  /** Asks what has become of an attempt. @throws Refusal */
  collect(
    attempt: AttemptReference,
    transaction: ProviderTransaction | null,
    now: Ms,
  ): Promise<LoginResult>;
}
