/** What a client gives and takes. Names are the interface's in camel case; times are `Date`. */

/** `oidc`: by browser redirect. `mfa`: by a push to the person's phone. */
export type Flow = 'oidc' | 'mfa';

/** The person who has signed in. */
export interface User {
  id: number;
  nationalId: string;
  /** In the preferred locale. */
  name: string;
  arabicName: string;
  englishName: string;
  preferredLocale: 'ar' | 'en';
  /** ISO 3166-1 alpha-2. */
  nationality: string;
  /** `M`, `F`, or `X` where the provider does not say. */
  gender: 'M' | 'F' | 'X';
  assuranceLevel: number;
  lastAuthMethod: Flow;
}

/** Whose token it is, and which application it was issued to. */
export interface TokenUser extends User {
  clientId: string;
}

interface StatusMembers {
  attemptId: string;
  providerStatus: 'PENDING' | 'COMPLETED' | 'REJECTED' | 'EXPIRED' | 'FAILED';
  /** Why the attempt ended, in its locale. */
  message: string | null;
  tokenReady: boolean;
  /** In live mode without names, and with the last four digits of the number only. */
  user: User | null;
}

/** An attempt that waits for nobody any more. */
export interface EndedStatus extends StatusMembers {
  status: 'authenticated' | 'rejected' | 'expired' | 'failed';
}

export interface PendingStatus extends StatusMembers {
  status: 'pending';
}

export type AttemptStatus = PendingStatus | EndedStatus;

/** RFC 7662. A token that is not valid, or another application's, has no other member. */
export interface Introspection {
  active: boolean;
  clientId?: string;
  tokenType?: string;
  /** The `id` of the user, as text. */
  sub?: string;
  /** The id of the token, as in the list of devices. */
  jti?: string;
  /** `iat` on the wire. */
  issuedAt?: Date;
  /** `exp` on the wire. */
  expiresAt?: Date;
}

export interface StartOptions {
  /** A language tag in Arabic or English, such as `ar` or `en-GB`. */
  locale: string;
  /**
   * Ten digits. With it the person signs in by phone, without it by browser. `undefined` is neither:
   * where a field of a form was forgotten, somebody else could sign in by the browser.
   */
  nationalId?: string;
  /** One of the client's own addresses; without it, its first. */
  returnAddress?: string | undefined;
  /** The IP address where the person's request came from, for the limits of the service. */
  endUserAddress?: string | undefined;
}

export interface WaitOptions {
  /**
   * Ends the wait with `client.aborted`. An `AbortSignal`, or what has its `aborted` and its
   * `addEventListener`.
   */
  signal?: AbortSignal;
  /** Milliseconds until `client.timeout`; by default longer than an attempt lives. */
  timeout?: number;
}

export interface IssueOptions {
  /** From the address that the browser came back to. */
  completionCode?: string;
  /** A label for the list of devices. */
  deviceName?: string;
  /** As in `StartOptions`. */
  endUserAddress?: string | undefined;
}

export interface CancelOptions {
  /** As in `StartOptions`: cancels have a limit of their own. */
  endUserAddress?: string | undefined;
}

/** What an attempt was exchanged for. As JSON and in logs it has no token. */
export interface ApiToken {
  readonly token: string;
  readonly expiresAt: Date;
  readonly user: User;
}

/** A sign-in that was started. As JSON and in logs it has no secret. */
export interface Attempt {
  readonly id: string;
  readonly flow: Flow;
  /** By the clock of the service. */
  readonly expiresAt: Date;
  /** Proves who started the attempt. Keep it in the session of the browser that started. */
  readonly token: string;
  /** By browser: send the browser here. */
  readonly authorizationUrl?: string;
  /** By phone: show it as text, with its leading zeros. */
  readonly random?: string;
  /** By phone: when the push ends, which can be before the attempt does. */
  readonly randomExpiresAt?: Date;
  status(): Promise<AttemptStatus>;
  /**
   * Resolves when the person has decided or cannot decide any more.
   * @throws TypeError for a `signal` or a `timeout` that is none, before anything is asked
   */
  waitForResult(options?: WaitOptions): Promise<EndedStatus>;
  /** Exchanges the attempt. May be called again: there is one token, however often it is asked. */
  issueToken(options?: IssueOptions): Promise<ApiToken>;
  /**
   * Ends the attempt: nobody can approve or exchange it any more, and the next start is let in at
   * once. May be called again.
   * @throws MiftahError with the code of its end for one that was exchanged or has ended otherwise
   */
  cancel(options?: CancelOptions): Promise<void>;
  /** A secret text with everything to go on with in another process, by `client.resume`. */
  export(): string;
}

export interface BrowserAttempt extends Attempt {
  readonly flow: 'oidc';
  readonly authorizationUrl: string;
}

export interface PhoneAttempt extends Attempt {
  readonly flow: 'mfa';
  readonly random: string;
  readonly randomExpiresAt: Date;
}

/** What the service says about a failure (RFC 9457), in the names of this package. */
export interface Problem {
  type: string;
  title: string;
  status: number;
  detail: string;
  code: string;
  message: string;
  remedy?: string;
  success?: boolean;
  attemptId?: string;
  /** Sentences for people by the name of the member, in camel case as the options are. */
  errors?: Record<string, string[]>;
  /** `pointer` is a JSON pointer into the request as it is sent: `/national_id`; empty for a header. */
  violations?: { pointer: string; code: string; header?: string; parameter?: string }[];
  'violated-policies'?: string[];
  /** With errors of the provider that have one: its support asks for it. */
  reference?: number;
  requestId: string;
}

/** What a client asks the service. Each failure is a `MiftahError`. */
export interface Calls {
  /**
   * Never repeated by itself: each start is another attempt, and by phone another prompt.
   * @throws TypeError for a `nationalId` that is undefined, for no `locale`, and for wrong options
   */
  start(options: StartOptions & { readonly nationalId: string }): Promise<PhoneAttempt>;
  start(options: StartOptions & { readonly nationalId?: never }): Promise<BrowserAttempt>;
  start(options: StartOptions): Promise<Attempt>;
  /** @param exported what `attempt.export()` gave, in this process or in another one */
  resume(exported: string): Attempt;
  /** Whose token it is. Any application's token is answered: compare `clientId`. */
  user(token: string): Promise<TokenUser>;
  /** Whether a token is valid and was issued to this client. Needs the client key. */
  introspect(token: string): Promise<Introspection>;
  /** Ends a token. */
  revoke(token: string): Promise<void>;
}
