import type { Locale } from '../domain/locale.ts';
import type { NationalId } from '../domain/national-id.ts';
import type { Ms } from '../domain/time.ts';
import type { Person } from '../domain/user.ts';
import type { ProviderMode } from './provider-config.ts';
import type { ReceivedPush, PushStatus, StartedPush } from './push.ts';
import type { RedirectSession } from './session.ts';

export interface SessionRequest {
  readonly requestId: string;
  readonly locale: Locale;
  readonly userAddress: string | null;
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

/** The attempt that an exchange is for, as it was stored when its session was opened. */
export interface ExpectedRedirect {
  readonly requestId: string;
  readonly nonce: string;
  readonly createdAt: Ms;
  readonly userAddress: string | null;
}

/** The attempt that a signed push has to be for. */
export interface ExpectedPush {
  readonly requestId: string;
  readonly transactionId: string;
  readonly nationalId: NationalId;
  readonly createdAt: Ms;
}

export type ExchangeResult =
  | { readonly result: 'approved'; readonly person: Person }
  /** Not approved yet, unknown or used before: the provider tells none of these apart. */
  | { readonly result: 'not_redeemable' };

export type PushResult =
  | { readonly result: 'approved'; readonly person: Person }
  | { readonly result: 'rejected' | 'expired' };

/**
 * The identity provider of live mode, over HTTP (area B).
 *
 * - B-1: every failure is a Refusal of the catalogue, and holds no secret and no identifier
 *   (port P-1, P-4; see C-1 to C-6 in call.ts for what bounds a call).
 * - B-2: a person comes only out of a token that the provider signed for us and for this attempt
 *   (port P-2; token-verifier.ts). What the provider merely says makes nobody authenticated.
 * - B-3: a push is asked for once. After `provider.timeout` nobody knows whether it was sent, so
 *   the attempt fails (decision 0035).
 * - B-4: the number of somebody else's open push is never given out: `push.budget_spent`.
 * - B-5: the person in a push result is the one who was asked for, else `provider.mismatch`.
 * - B-6: nobody passes below the configured level of assurance: `assurance.insufficient`. A token
 *   that states no level has the lowest, as the reported tokens of the phone flow do.
 * - B-7: a provider that says it is a simulator is refused in live mode, and one that does not say
 *   so is refused in a rehearsal.
 */
export interface ProviderApi {
  /** Before the browser leaves. Serves `openRedirect` of the port. @throws Refusal */
  openSession(request: SessionRequest): Promise<RedirectSession>;
  /** Serves `requestPush` of the port. @throws Refusal */
  requestPush(order: PushOrder): Promise<StartedPush>;
  /** Unsigned: good for `rejected` and `expired`, never for an identity. @throws Refusal */
  pushStatus(question: PushQuestion): Promise<PushStatus>;
  /**
   * Trades the state that came back with the browser, once its cookie was found right. The state
   * is good for one exchange, so this is never repeated. @throws Refusal
   */
  exchange(state: string, expected: ExpectedRedirect): Promise<ExchangeResult>;
  /**
   * @throws Refusal `push.unverified` for a push that is not the provider's or not for this
   * attempt; a `provider.*` code of 5xx where the keys can't be had, so that the provider repeats it
   */
  verifyPush(message: ReceivedPush, expected: ExpectedPush): Promise<PushResult>;
  /** What stands at the other end, whatever is configured: for the seal of the store. */
  detectMode(): Promise<ProviderMode>;
  close(): Promise<void>;
}
