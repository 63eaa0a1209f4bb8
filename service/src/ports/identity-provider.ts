import type { AttemptId } from '../domain/attempt-id.ts';
import type { ErrorCode } from '../domain/errors/catalogue.ts';
import type { Flow } from '../domain/flow.ts';
import type { Locale } from '../domain/locale.ts';
import type { NationalId } from '../domain/national-id.ts';
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

export interface PushRequest {
  readonly attemptId: AttemptId;
  readonly locale: Locale;
  readonly nationalId: NationalId;
  readonly at: Ms;
  readonly expiresAt: Ms;
}

export interface PushStarted {
  /** The number that the person has to match on the phone. */
  readonly bindingCode: string;
  /** Null where the provider's transaction lives as long as the attempt. */
  readonly expiresAt: Ms | null;
}

/** What is known of the person's decision. Only `approved` carries an identity. */
export type LoginResult =
  | { readonly result: 'waiting' }
  | { readonly result: 'approved'; readonly person: Person }
  | { readonly result: 'rejected'; readonly reason: ErrorCode }
  | { readonly result: 'failed'; readonly reason: ErrorCode };

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
  /** Sends a prompt to the person's phone. @throws Refusal */
  requestPush(request: PushRequest): Promise<PushStarted>;
  /** Tells the provider that a browser will come for this attempt. @throws Refusal */
  openRedirect(attempt: AttemptReference): Promise<void>;
  /** Asks what has become of an attempt. @throws Refusal */
  collect(attempt: AttemptReference, now: Ms): Promise<LoginResult>;
}
