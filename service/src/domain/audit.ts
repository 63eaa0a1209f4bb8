import type { AttemptId } from './attempt-id.ts';
import { keyedDigestText, NO_DIGEST, type Digest } from './digest.ts';
import { isErrorCode, type ErrorCode } from './errors/catalogue.ts';
import type { Ms } from './time.ts';
import type { UserId } from './user.ts';

/** Changes of the store: it writes their rows itself, together with the change. */
const CHANGE_ACTIONS = [
  'store.sealed',
  'attempt.authenticated',
  'attempt.rejected',
  'attempt.failed',
  'attempt.completion_missed',
  'attempt.spoiled',
  'token.issued',
  'token.revoked',
  'tokens.revoked_all',
  'user.disabled',
  'user.enabled',
  'push.admitted',
  'keys.rotated',
  'people.forgotten',
  'audit.cut',
  'store.restored',
] as const;

/** What somebody saw and the store would not know of: written by `recordEvent`, and only by it. */
const EVENT_ACTIONS = [
  'push.suppressed',
  'token.replayed',
  'browser.mismatch',
  'provider.mismatch',
  'enumeration.suspected',
  'clients.reloaded',
  'service.started',
  'service.stopped',
] as const;

export const AUDIT_ACTIONS = [...CHANGE_ACTIONS, ...EVENT_ACTIONS] as const;

export type EventAction = (typeof EVENT_ACTIONS)[number];
export type ChangeAction = (typeof CHANGE_ACTIONS)[number];
export type AuditAction = (typeof AUDIT_ACTIONS)[number];

/** Scopes of a revocation and modes of a store, beside the reasons of the error catalogue. */
const DETAIL_WORDS = ['all', 'user', 'client', 'simulator', 'live', 'rehearsal'] as const;

/** From a closed list: nothing that a caller has typed, and no identifier, can get in here. */
export type AuditDetail = ErrorCode | (typeof DETAIL_WORDS)[number];

export function parseAuditDetail(text: string): AuditDetail | null {
  return isErrorCode(text) ? text : (DETAIL_WORDS.find((word) => word === text) ?? null);
}

/** Whom and what a row is about, each as far as it is known. */
export interface AuditSubject {
  readonly attemptId: AttemptId | null;
  readonly userId: UserId | null;
  readonly client: string | null;
  /** A digest under a key of ours: the same person again can be seen, and nobody be named. */
  readonly personDigest: Digest | null;
  readonly detail: AuditDetail | null;
  /** How many things the one action has changed. */
  readonly count: number | null;
}

export interface AuditEvent extends Partial<AuditSubject> {
  readonly at: Ms;
  readonly action: EventAction;
}

export interface AuditRow extends AuditSubject {
  /** From 1, without a gap. */
  readonly sequence: number;
  readonly at: Ms;
  readonly action: AuditAction;
  /** The hash of the row before; of the first row `NO_DIGEST`. */
  readonly previous: Digest;
  readonly hash: Digest;
}

export interface AuditQuery {
  /** The sequence of the last row that is known; 0 for all. */
  readonly after: number;
  readonly limit: number;
  /** Rows of this attempt only. */
  readonly attemptId?: AttemptId;
}

export type AuditValue = string | number | null;

/** Everything in a row but its own hash, in the order in which it is hashed. */
export type AuditValues = readonly AuditValue[];

/**
 * What a row is chained by. Every value is marked with its kind and preceded by its length, so that
 * no two rows are the same text; without a key anybody can compute it, and it shows accidents only.
 */
export function auditHash(key: Uint8Array, values: AuditValues): Digest {
  return keyedDigestText(key, 'audit', ...values.map((value) => encode(value)));
}

function encode(value: AuditValue): string {
  if (value === null) return '';
  return typeof value === 'number' ? `n${value}` : `t${value}`;
}

/** The front of the log was cut after this row: the next one has to follow its hash. */
export interface AuditAnchor extends AuditHead {
  /** Everything that went was written before. */
  readonly at: Ms;
}

/** Under the same key as the rows, and over fewer values than any row has. */
export function anchorProof(key: Uint8Array, { count, hash, at }: AuditAnchor): Digest {
  return auditHash(key, ['anchor', count, hash, at]);
}

export interface AuditHead {
  readonly count: number;
  readonly hash: Digest;
}

export const EMPTY_AUDIT: AuditHead = { count: 0, hash: NO_DIGEST };
