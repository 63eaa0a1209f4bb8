/** What the benchmark and its load generator, a process of its own, say to each other. */

export type Kind =
  | 'raw'
  | 'start'
  | 'status'
  | 'complete'
  | 'token'
  | 'login'
  | 'cibaStart'
  | 'cibaPoll'
  | 'cibaLogin'
  | 'codeLogin'
  | 'codeLoginEs256';

/** Requests of one login: its start, five polls, its completion, its token. */
export const REQUESTS_OF_A_LOGIN = 8;
/** Of a login by the code flow: authorization, sign-in, way back, token. */
export const REQUESTS_OF_A_CODE_LOGIN = 4;

/** Connections that all ask for the same thing, each with one request under way at a time. */
export interface Stream {
  readonly kind: Kind;
  readonly connections: number;
  /**
   * Milliseconds that each connection waits before each request, give or take a half; none when it
   * is left out. Callers that pause see a server that is not busy all the time.
   */
  readonly pauseMs?: number;
  /** Requests are sent at this rate, whether or not the ones before are answered. */
  readonly perSecond?: number;
}

export interface Job {
  readonly port: number;
  readonly streams: readonly Stream[];
  /** The streams end when this time is over, or this many requests have been sent by each. */
  readonly seconds: number;
  readonly requests: number;
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
  /** The part of one processor that the generator has used. */
  readonly busy: number;
  /** Everything that this generator has ever seen acknowledged. */
  readonly acknowledged: Acknowledged;
  /** How many attempts it could complete, and how many it could exchange for a token, now. */
  readonly pending: number;
  readonly authenticated: number;
}

export interface Acknowledged {
  readonly attempts: number;
  readonly completions: number;
  readonly tokens: number;
}

/** `error`: an answer was not what it should be, so that there is nothing to report. */
export type Outcome = { readonly report: Report } | { readonly error: string };
