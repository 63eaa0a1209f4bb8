import type { AttemptRecord } from '../../attempt/attempt.ts';
import type { Task } from '../../audit/audit.ts';
import type { ErrorCode } from '../../errors/catalogue.ts';
import type { ProviderCall } from '../../attempt/provider-call.ts';
import type { TokenCheck } from '../../attempt/refused-token.ts';
import type { Ms } from '../../values/time.ts';

/** The counters without labels, each with its description. */
export const COUNTED = {
  push_suppressed_total: 'Pushes that were not sent because a budget was spent',
  push_mismatch_total: 'Signed results that named another person than was asked for',
  browser_mismatch_total: 'Returns or launches in another browser than the one that began',
  miftah_audit_head_failures_total: 'How often AUDIT_HEAD_FILE could not be written',
  miftah_audit_cut_refusals_total:
    'How often old rows of the audit log were kept because they are not as they were written',
  miftah_log_failures_total: 'How often the log could not be written; it is tried again',
  miftah_log_lost_lines_total: 'Lines of the log that were lost because it could not be written',
} as const;
export type Counted = keyof typeof COUNTED;

/**
 * The steps of a sign-in. The last one, `expired`, is not reported: an attempt that expires causes
 * no call, so the meter derives it from the others.
 */
export const SIGN_IN_STEPS = [
  'started',
  'authenticated',
  'redeemed',
  'rejected',
  'failed',
  'expired',
] as const;
export type SignInStep = Exclude<(typeof SIGN_IN_STEPS)[number], 'expired'>;

/** How somebody waits for the end of an attempt: by an event stream or by a long poll. */
export const WAIT_KINDS = ['stream', 'poll', 'ping'] as const;
export type WaitKind = (typeof WAIT_KINDS)[number];

/** Why a wait is over. `time_passed` is the ordinary end of a long poll. */
export const WAIT_ENDS = [
  'attempt_ended',
  'client_left',
  'time_passed',
  'service_stopped',
  'failed',
] as const;
export type WaitEnd = (typeof WAIT_ENDS)[number];

export type MeteredAttempt = Pick<AttemptRecord, 'flow' | 'createdAt'>;

/** The durations of the requests to one route. */
export interface RouteMeter {
  /** @param status the HTTP status of the answer */
  observe(status: number, durationMs: Ms): void;
}

/** One try of a call to the provider. */
export type MeteredCall = Pick<ProviderCall, 'operation' | 'refusal' | 'durationMs'>;

/** The connections to a database server. */
export interface StoreConnections {
  readonly open: number;
  /** Those of the open ones that have something to do. */
  readonly inUse: number;
  /** Operations that wait for a connection. */
  readonly waiting: number;
  /** How often a connection was made after all had been lost. */
  readonly reconnects: number;
}

export const WEBHOOK_OUTCOMES = ['delivered', 'failed', 'given_up'] as const;
export type WebhookOutcome = (typeof WEBHOOK_OUTCOMES)[number];

export interface WebhooksStanding {
  readonly waiting: number;
  /** How long the oldest of them has waited. */
  readonly oldestMs: Ms;
  /** Receivers that have answered 410. */
  readonly switchedOff: number;
}

/** The state of the service at the moment when the numbers are read. */
export interface Standing {
  readonly now: Ms;
  readonly isReady: boolean;
  readonly isStoreReady: boolean;
  /** How far the service's clock is ahead of the machine's clock. */
  readonly aheadMs: Ms;
}

/**
 * Numbers about the running service, in the Prometheus text format.
 *
 * - counting never fails and never waits.
 * - no number is about one person or one attempt. Every label has a closed set of values that
 *   does not depend on what callers send. None is a client: the audit log has those.
 */
export interface Meter {
  count(name: Counted): void;
  /** @param reason why the attempt was rejected or failed */
  signIn(step: SignInStep, attempt: MeteredAttempt, reason?: ErrorCode): void;
  /** A token of the provider was refused. */
  tokenRefused(check: TokenCheck): void;
  /** A request, a push or a connection was refused by the limit with this name (`LIMITS`). */
  limitHit(limit: string): void;
  /** @param route the pattern of its address */
  route(method: string, route: string): RouteMeter;
  providerCall(call: MeteredCall): void;
  /** Whether calls of this operation are being refused because of an outage. */
  providerBreaker(operation: string, isOpen: boolean): void;
  /**
   * A transaction of the store begins; others may be under way.
   * @returns to be called when it was committed, with the number of writes that shared it
   */
  readonly commitBegins: () => (units: number) => void;
  /**
   * Somebody begins to wait for the end of an attempt.
   * @returns to be called once, when that is over
   */
  waitBegins(kind: WaitKind): (end: WaitEnd) => void;
  storeConnections(connections: StoreConnections): void;
  /** When a task of the operator has last gone well; 0: never. */
  lastSuccess(task: Task, at: Ms): void;
  /** How old the oldest row of the audit log is that its watched reader has not taken. */
  auditStreamBehind(age: Ms): void;
  webhookTried(outcome: WebhookOutcome, count?: number): void;
  webhooksStanding(standing: WebhooksStanding): void;
  readonly mediaType: string;
  /** Gives a text of the last second again, so that frequent readers cost little. */
  render(standing: Standing): Promise<string>;
}
