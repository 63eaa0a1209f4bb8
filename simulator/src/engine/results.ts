import type { TokenPlan } from './claims/token-plan.ts';
import type { DamagedAnswer } from './outcomes/answer-faults.ts';
import type { ErrorRecord } from './error-records.ts';
import type { Ms } from './ports.ts';
import type { Prompt } from './prompts/prompts.ts';

/** An accepted push. */
export interface PushAccepted {
  readonly ok: true;
  readonly promptId: string;
  readonly transactionId: string;
  readonly bindingCode: string;
  readonly expiresAt: Ms;
}

/** An error record of the provider, with its reference. */
export interface RecordRefusal {
  readonly ok: false;
  readonly kind: 'record';
  readonly record: ErrorRecord;
}

/**
 * The fault that a caller on the network meets instead of an answer. A caller in the same process
 * gets the same result. After `malformed`, `cut` and `timeout` the push exists all the same.
 */
export type TransportFault =
  | {
      readonly ok: false;
      readonly kind: 'gateway';
      readonly status: number;
      readonly text: string;
    }
  | {
      readonly ok: false;
      readonly kind: 'outage';
      readonly status: number;
      readonly mediaType: 'text/html' | 'text/plain';
      readonly body: string;
    }
  /** `body` is labelled as JSON but is not valid JSON. */
  | { readonly ok: false; readonly kind: 'malformed'; readonly body: string }
  /** `body` is the part of the answer that is sent before the connection ends. */
  | { readonly ok: false; readonly kind: 'cut'; readonly body: string }
  /** The answer is correct but comes after `afterMs`, which is longer than a client should wait. */
  | {
      readonly ok: false;
      readonly kind: 'timeout';
      readonly afterMs: Ms;
      readonly late: PushAccepted;
    };

export type PushResult = PushAccepted | RecordRefusal | TransportFault;

export const PUSH_STATUSES = ['WAITING', 'COMPLETED', 'REJECTED', 'EXPIRED'] as const;
export type PushStatus = (typeof PUSH_STATUSES)[number];

export type StatusResult = { readonly ok: true; readonly status: PushStatus } | RecordRefusal;

/** The provider's answer to a session request, member by member. */
export interface SessionAnswer {
  readonly id: null;
  readonly url: string;
  readonly hashedState: string;
  readonly requestId: string;
}

export interface SessionResult {
  readonly ok: true;
  readonly session: SessionAnswer;
  readonly promptId: string;
  readonly expiresAt: Ms;
}

/** A session and its way to the caller, or the fault in its place. */
export type SessionReply =
  /** `damaged`: how the answer is lost; null if it arrives. */
  | (SessionResult & { readonly damaged: DamagedAnswer['kind'] | null })
  | Extract<TransportFault, { kind: 'gateway' | 'outage' }>;

export type ExchangeResult = { readonly ok: true; readonly token: TokenPlan } | RecordRefusal;

/**
 * `unavailable`: a fault has refused what follows the decision, which can be made again.
 * `not_applicable`: a sign-in page shows no number, so it can't be the wrong one.
 */
export type DecisionRefusal =
  'unknown_prompt' | 'unknown_person' | 'ended' | 'not_applicable' | 'unavailable';

export type DecisionResult =
  | { readonly ok: true; readonly prompt: Prompt }
  | { readonly ok: false; readonly reason: DecisionRefusal };
