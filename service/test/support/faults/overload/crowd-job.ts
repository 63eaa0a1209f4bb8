/** The messages between a test and a crowd, which runs in a thread of its own. */

/** What a crowd does: logins one after another, or at a rate that waits for no answer. */
export interface CrowdJob {
  readonly port: number;
  readonly seconds: number;
  /** The most connections, and so the most logins under way. */
  readonly sockets: number;
  /** Logins that begin in a second; null: each connection begins one as soon as it is free. */
  readonly perSecond: number | null;
}

export interface CrowdReport {
  /** Logins that were due; those without a free connection were not sent. */
  readonly due: number;
  readonly withoutSocket: number;
  /** Starts that were answered with 200. */
  readonly attempts: number;
  /** Logins that got a token. */
  readonly tokens: number;
  /** Logins that got their token before the end of the load, by its seconds. */
  readonly tokensPerSecond: number;
  /** Starts that were answered with 503. */
  readonly refusedStarts: number;
  /** Later requests of a login that were answered with 503, and sent again. */
  readonly refusedLater: number;
  /** In milliseconds, of requests that were answered with 200. */
  readonly p50: number;
  readonly p99: number;
  readonly slowest: number;
  /** Answers that are neither 200 nor a 503 that says when to come again; a few of them. */
  readonly wrong: readonly string[];
}
