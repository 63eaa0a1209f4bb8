/** What the benchmark and its load generator, a process of its own, say to each other. */

export type Kind = 'raw' | 'start' | 'status' | 'complete' | 'token';

/** Connections that all ask for the same thing, each with one request under way at a time. */
export interface Stream {
  readonly kind: Kind;
  readonly connections: number;
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
