import { MINUTE_MS, SECOND_MS, type Ms } from './time.ts';

/**
 * The length of a rate limit's fixed window, which begins with its first request (decision 0006).
 */
export const RATE_WINDOW_MS = MINUTE_MS;

/** So long after a request has read the clock its limits are counted, at the latest. */
export const LATE_CALL_MS = 10 * SECOND_MS;

export interface RatePolicy {
  /** Names the policy in the RateLimit headers. */
  readonly name: string;
  /** Requests allowed in one window. */
  readonly quota: number;
}

/** The state of one key in its current window of a policy. */
export interface RateStanding {
  readonly policy: RatePolicy;
  /** From `consume`: whether this call is allowed. From `peek`: whether the next call would be. */
  readonly allowed: boolean;
  /** The number of further calls that are allowed in this window. */
  readonly remaining: number;
  /** When the window ends, by the clock that `now` of the call is of: always after it. */
  readonly endsAt: Ms;
}

/** Of two limits that hold for one caller: what they may do until the first of them allows more. */
export function strictestOf(one: RateStanding, other: RateStanding): RateStanding {
  const [first, second] = one.remaining <= other.remaining ? [one, other] : [other, one];
  // Of two that are used up, the one that stays so for longer.
  const told = second.remaining === 0 && second.endsAt > first.endsAt ? second : first;
  return { ...told, allowed: one.allowed && other.allowed };
}

/**
 * The quotas are the interface document's; those of `complete-mfa`, `cancel` and
 * `status-failures` are ours.
 */
export const RATE_POLICIES = {
  start: { name: 'start', quota: 20 },
  /** A confidential client's back end, for requests that do not name the end user's address. */
  backEnd: { name: 'back-end', quota: 600 },
  callback: { name: 'callback', quota: 20 },
  completeMfa: { name: 'complete-mfa', quota: 20 },
  token: { name: 'token', quota: 20 },
  cancel: { name: 'cancel', quota: 20 },
  status: { name: 'status', quota: 120 },
  statusFailures: { name: 'status-failures', quota: 120 },
  /** Counted per attempt and address, in live mode: other addresses can't use up the quota. */
  launchPage: { name: 'launch-page', quota: 20 },
  launch: { name: 'launch', quota: 20 },
  /** Counted per attempt, for its launching browser, in live mode. */
  return: { name: 'return', quota: 20 },
  /**
   * Counted per address: returns without a known attempt, or from another than the launching
   * browser.
   */
  returnFailures: { name: 'return-failures', quota: 120 },
  /** The sign-in page's form, in simulator mode. */
  signIn: { name: 'sign-in', quota: 20 },
  /** Counted per request of CIBA: its `interval` is so long that whoever keeps to it is not refused. */
  cibaPoll: { name: 'ciba-poll', quota: 12 },
  /** The operations on issued tokens; the interface document sets no limit for them. */
  bearer: { name: 'bearer', quota: 120 },
} as const satisfies Record<string, RatePolicy>;

/** The most that a client may be given in the place of `RATE_POLICIES.backEnd`: 100 a second. */
export const MOST_BACK_END_REQUESTS = 6000;

/** What the clients file gives one client; null: what all others have. */
export interface ClientLimits {
  /** Requests of its back end that name no end user's address. */
  readonly requestsPerMinute: number | null;
  readonly pushesPerMinute: number | null;
  /** To one person from this client; beside it hold the budgets of the person for all clients. */
  readonly pushesPerPersonPerDay: number | null;
}

export const USUAL_LIMITS: ClientLimits = {
  requestsPerMinute: null,
  pushesPerMinute: null,
  pushesPerPersonPerDay: null,
};

/**
 * People mistype their number now and then; a client with this many unknown numbers in a window is
 * trying out numbers.
 */
export const UNKNOWN_IDS: RatePolicy = { name: 'unknown-ids', quota: 20 };

/** The searches by national id of one session of an operator. */
export const OPERATOR_SEARCHES: RatePolicy = { name: 'operator-searches', quota: 20 };

/** Counted per address: an operator's sign-in has two requests, and all may come over one proxy. */
export const OPERATOR_SIGN_INS: RatePolicy = { name: 'operator-sign-ins', quota: 60 };

/** The sign-ins of somebody without a role: each is a row of the audit log, which stays. */
export const OPERATOR_REFUSALS: RatePolicy = { name: 'operator-refusals', quota: 5 };

/**
 * The most simultaneous pieces of work on one attempt, including the running one. A browser that opens
 * all its tabs again asks as often for one session; each waiting one keeps its request in memory.
 */
export const MOST_AT_ONE_ATTEMPT = 128;

/** The most pushes to one person, of one client, or of the service (attempt/start/push-budget.ts). */
export const PUSH_BUDGET_LIMIT = 'push-budget';
/** Work that was refused because too much of it waits, in the store or for one attempt. */
export const QUEUE_LIMIT = 'queue';
/** Connections that were refused because too many are open. */
export const CONNECTION_LIMIT = 'connections';
/** Starts that were refused because requests wait too long, in the process or in the store. */
export const REQUEST_OVERLOAD_LIMIT = 'overload-requests';
export const STORE_OVERLOAD_LIMIT = 'overload-store';

/** How many may wait at a time on an instance, by event stream or long poll. */
export interface WaiterLimits {
  /** 0: nobody can wait. */
  readonly most: number;
  /** Of them, for attempts of one client. */
  readonly ofClient: number;
  /** Of them, from one address. */
  readonly ofAddress: number;
}

/** Event streams, long polls and pings that found no place, by what had no more of them. */
export const WAITER_LIMITS = {
  attempt: 'waiters-attempt',
  address: 'waiters-address',
  client: 'waiters-client',
  instance: 'waiters-instance',
} as const;

/** The names of all limits, for the numbers about them. */
export const LIMITS: readonly string[] = [
  ...Object.values(RATE_POLICIES).map(({ name }) => name),
  UNKNOWN_IDS.name,
  PUSH_BUDGET_LIMIT,
  QUEUE_LIMIT,
  CONNECTION_LIMIT,
  REQUEST_OVERLOAD_LIMIT,
  STORE_OVERLOAD_LIMIT,
  ...Object.values(WAITER_LIMITS),
];
