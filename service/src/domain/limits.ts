import { MINUTE_MS } from './time.ts';

/** A fixed window of this length, from the first request in it (decision 0006). */
export const RATE_WINDOW_MS = MINUTE_MS;

export interface RatePolicy {
  /** Names the policy in the RateLimit headers. */
  readonly name: string;
  /** Requests allowed in one window. */
  readonly quota: number;
}

/** The interface document's limits; `complete-mfa` and failed status reads are ours. */
export const RATE_POLICIES = {
  start: { name: 'start', quota: 20 },
  /** Of a back end that does not say for whom it asks. */
  backEnd: { name: 'back-end', quota: 600 },
  callback: { name: 'callback', quota: 20 },
  completeMfa: { name: 'complete-mfa', quota: 20 },
  token: { name: 'token', quota: 20 },
  status: { name: 'status', quota: 120 },
  statusFailures: { name: 'status-failures', quota: 120 },
  /** Of one attempt from one address, in live mode: nobody else can use them up. */
  launchPage: { name: 'launch-page', quota: 20 },
  launch: { name: 'launch', quota: 20 },
  /** Of one attempt in its launching browser, in live mode. */
  return: { name: 'return', quota: 20 },
  /** By address: returns that are not of the launching browser, or of no attempt. */
  returnFailures: { name: 'return-failures', quota: 120 },
  /** The sign-in page's form, in simulator mode. */
  signIn: { name: 'sign-in', quota: 20 },
  /** The operations on issued tokens, which the interface document does not name. */
  bearer: { name: 'bearer', quota: 120 },
} as const satisfies Record<string, RatePolicy>;

/** People mistype; a client that asks for this many unknown identifiers tries out numbers. */
export const UNKNOWN_IDS: RatePolicy = { name: 'unknown-ids', quota: 20 };

/** What a request body may be at most. */
export const BODY_LIMITS = { bytes: 16 * 1024, depth: 8, keys: 32 } as const;
