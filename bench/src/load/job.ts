/** The messages between the benchmark and its load generator, which is a separate process. */

export type Kind =
  | 'raw'
  | 'start'
  | 'pushStart'
  | 'status'
  | 'complete'
  | 'token'
  | 'login'
  | 'longPollLogin'
  | 'browserLogin'
  | 'pushLogin'
  | 'cibaStart'
  | 'cibaPoll'
  | 'cibaLogin'
  | 'codeLogin'
  | 'codeLoginEs256'
  | 'codeSignIn'
  | 'openidCibaStart'
  | 'openidCibaPoll'
  | 'openidCibaLogin'
  | 'openidLogin';

/** Start, five polls, completion and token. */
const LOGIN_BY_POLLS = 8;
/** Start, completion and token. The long poll is not counted: it takes the person's time. */
const LOGIN_BY_LONG_POLL = 3;
/** Authorization, sign-in, return and token. */
const CODE_LOGIN = 4;

/** The same with the page before the sign-in. */
const CODE_SIGN_IN = 5;

/** Start, five polls, two of the simulated phone, and token. */
const PUSH_LOGIN = 9;

/** Five of the browser, with the pages of the simulated provider, and token. */
const OPENID_LOGIN = 6;

/** Start, page of the simulated provider, decision, token. */
const BROWSER_LOGIN = 4;

const OF_SEVERAL: Partial<Record<Kind, number>> = {
  login: LOGIN_BY_POLLS,
  longPollLogin: LOGIN_BY_LONG_POLL,
  browserLogin: BROWSER_LOGIN,
  cibaLogin: LOGIN_BY_POLLS,
  codeLogin: CODE_LOGIN,
  codeLoginEs256: CODE_LOGIN,
  codeSignIn: CODE_SIGN_IN,
  pushLogin: PUSH_LOGIN,
  openidCibaLogin: PUSH_LOGIN,
  openidLogin: OPENID_LOGIN,
};

/** The number of requests of one piece of work. */
export function requestsOf(kind: Kind): number {
  return OF_SEVERAL[kind] ?? 1;
}

/** Connections that all send the same kind of request, each with one request at a time. */
export interface Stream {
  readonly kind: Kind;
  readonly connections: number;
  /**
   * The pause of each connection before each request, in milliseconds, varied by up to half; no
   * pause by default. With pauses the server is not fully loaded.
   */
  readonly pauseMs?: number;
  /** Requests are sent at this rate, even if earlier ones are not answered yet. */
  readonly perSecond?: number;
}

export interface Job {
  readonly port: number;
  readonly streams: readonly Stream[];
  /** The streams end after this time, or after each has sent this many requests. */
  readonly seconds: number;
  readonly requests: number;
  /**
   * Which request of a piece of work each sends: 0 begins so many pieces, and the next ones follow in
   * jobs of their own.
   */
  readonly step?: number;
}

export interface StreamReport {
  readonly answers: number;
  readonly seconds: number;
  readonly p50: number;
  readonly p99: number;
  readonly p999: number;
}

export interface Report {
  readonly streams: readonly StreamReport[];
  /** The share of one processor that the generator has used. */
  readonly busy: number;
  /** Everything that was ever acknowledged to this generator. */
  readonly acknowledged: Acknowledged;
  /**
   * The number of attempts that it can currently complete, and that it can exchange for a token.
   */
  readonly pending: number;
  readonly authenticated: number;
}

export interface Acknowledged {
  readonly attempts: number;
  readonly completions: number;
  readonly tokens: number;
}

/** `error`: an answer was wrong, so there is nothing to report. */
export type Outcome = { readonly report: Report } | { readonly error: string };
