import type { Locale } from '../values/locale.ts';
import type { NationalId, ReportedPerson } from '../account/user.ts';
import type { Refusal } from '../errors/refusal.ts';
import type { KeptToken } from '../attempt/provider-transaction.ts';
import type { Scenario } from '../attempt/scenario.ts';
import type { Ms } from '../values/time.ts';
import type { Credentials, ProviderMode } from './provider-config.ts';
import type { ReceivedPush, PushStatus, StartedPush } from './push.ts';
import type { RedirectSession } from './session.ts';

export interface SessionRequest {
  readonly requestId: string;
  readonly locale: Locale;
  readonly userAddress: string | null;
  /** What a test has chosen; told only to the simulator of this process. */
  readonly scenario?: Scenario | null;
}

export interface PushOrder extends SessionRequest {
  readonly nationalId: NationalId;
}

export interface PushQuestion {
  readonly requestId: string;
  readonly nationalId: NationalId;
  readonly transactionId: string;
  readonly bindingCode: string;
  readonly userAddress: string | null;
}

/** The attempt of an exchange, as stored when its session was opened. */
export interface ExpectedRedirect {
  readonly requestId: string;
  readonly nonce: string;
  readonly createdAt: Ms;
  readonly userAddress: string | null;
}

/** The attempt that a signed push must belong to. */
export interface ExpectedPush {
  readonly requestId: string;
  readonly transactionId: string;
  readonly nationalId: NationalId;
  readonly createdAt: Ms;
}

/** A token whose key can't be known now. The refusal says why, and when to try again. */
export interface Unverified {
  readonly result: 'unverified';
  readonly kept: KeptToken;
  readonly refusal: Refusal;
}

export type ExchangeResult =
  | Unverified
  | { readonly result: 'approved'; readonly person: ReportedPerson }
  /** Not approved yet, unknown, or used before: the provider gives all three the same answer. */
  | { readonly result: 'not_redeemable' };

export type PushResult =
  | Unverified
  | { readonly result: 'approved'; readonly person: ReportedPerson }
  | { readonly result: 'rejected' | 'expired' };

/**
 * The identity provider of live mode, over HTTP (area B).
 *
 * - B-1: every failure is a Refusal of the catalogue, and contains no secret and no identifier
 *   (port P-1, P-4; for the limits of a call see C-1 to C-6 in call.ts).
 * - B-2: a person comes only from a token that the provider signed for us and for this attempt
 *   (port P-2; token-verifier.ts). An unsigned answer authenticates nobody.
 * - B-3: a push is requested once. After `provider.timeout` it is unknown whether the push was
 *   sent, so the attempt fails (decision 0035).
 * - B-4: the number of another attempt's open push is never given; the error is
 *   `push.budget_spent`.
 * - B-5: the person in a push result is the one whose number was given; for another person the
 *   error is `provider.mismatch`.
 * - B-6: a person below the configured assurance level is refused with `assurance.insufficient`. A
 *   token that states no level has the lowest one, as the reported tokens of the phone flow do.
 * - B-7: a provider that says it is a simulator is refused in live mode, and one that does not say
 *   so is refused in a rehearsal.
 */
export interface ProviderApi {
  /** Opens a session for a browser. Implements `openRedirect` of the port. @throws Refusal */
  openSession(request: SessionRequest): Promise<RedirectSession>;
  /** Implements `requestPush` of the port. @throws Refusal */
  requestPush(order: PushOrder): Promise<StartedPush>;
  /**
   * An unsigned status: it can be used for `rejected` and `expired`, never for an identity. @throws
   * Refusal
   */
  pushStatus(question: PushQuestion): Promise<PushStatus>;
  /**
   * Exchanges the state of a returned browser whose cookie was verified. A state can be exchanged
   * once, so this call is never repeated, and it is made only when the keys for the token are there:
   * while they can't be loaded the error is `provider.unavailable`, and the state is not used.
   * A token that can't be verified yet is given, to be kept: there is no other.
   * @throws Refusal
   */
  exchange(state: string, expected: ExpectedRedirect): Promise<ExchangeResult>;
  /** The same for the token of an earlier exchange. @throws Refusal */
  verifyRedirect(kept: KeptToken, expected: ExpectedRedirect): Promise<ExchangeResult>;
  /**
   * @param cameAt when it came; null for one that comes now
   * @throws Refusal `push.unverified` for a push that is not from the provider or not for this
   * attempt
   */
  verifyPush(message: ReceivedPush, expected: ExpectedPush, cameAt: Ms | null): Promise<PushResult>;
  /**
   * Asks the provider whether it is a simulator, whatever is configured; used for the binding of the store.
   */
  detectMode(): Promise<ProviderMode>;
  /** For all calls that begin later: other credentials, and new connections. */
  renew(credentials: Credentials): void;
  close(): Promise<void>;
}
