import type { AttemptId } from '../values/ids.ts';
import { keyedDigestText, NO_DIGEST, type Digest } from '../values/secret.ts';
import { isErrorCode, type ErrorCode } from '../errors/catalogue.ts';
import { parseRefused, type RefusedTokenText } from '../attempt/refused-token.ts';
import { isNameText, type ProviderNameText } from '../values/store-binding.ts';
import type { Ms } from '../values/time.ts';
import type { UserId } from '../account/user.ts';
import type { Act, ActorText } from './act.ts';

/** Changes of the store: the store writes their rows itself, in the same transaction. */
const CHANGE_ACTIONS = [
  'store.sealed',
  'attempt.authenticated',
  'attempt.rejected',
  'attempt.failed',
  'attempt.completion_missed',
  'attempt.spoiled',
  'token.issued',
  'openid.signed_in',
  'openid.session_used',
  'openid.grant_issued',
  'openid.grant_ended',
  'openid.keys_rotated',
  'token.revoked',
  'tokens.revoked_all',
  'user.disabled',
  'user.enabled',
  'push.admitted',
  'keys.rotated',
  'people.forgotten',
  'user.erased',
  'audit.cut',
  'store.restored',
] as const;

/** Observations that change nothing in the store: only `recordEvent` writes them. */
const EVENT_ACTIONS = [
  'push.suppressed',
  'token.replayed',
  'openid.refused',
  'browser.mismatch',
  'provider.mismatch',
  'provider.token_refused',
  'provider.token_unverified',
  'enumeration.suspected',
  'client.added',
  'client.changed',
  'client.removed',
  'clients.reloaded',
  'user.exported',
  'user.searched',
  'operator.link_made',
  'operator.signed_in',
  'operator.signed_out',
  'operator.refused',
  'webhooks.replayed',
  'webhooks.switched_on',
  'store.behind',
  'store.backed_up',
  'audit.verified',
  'service.examined',
  'service.started',
  'service.stopped',
] as const;

export const AUDIT_ACTIONS = [...CHANGE_ACTIONS, ...EVENT_ACTIONS] as const;

export type EventAction = (typeof EVENT_ACTIONS)[number];
export type ChangeAction = (typeof CHANGE_ACTIONS)[number];
export type AuditAction = (typeof AUDIT_ACTIONS)[number];

/** What an operator has done each day. */
export const TASKS = ['backup', 'verify', 'doctor'] as const;
export type Task = (typeof TASKS)[number];

/** The event that says that a task went well. */
export const SUCCESS_OF = {
  backup: 'store.backed_up',
  verify: 'audit.verified',
  doctor: 'service.examined',
} as const satisfies Readonly<Record<Task, EventAction>>;

/** When each task has last gone well; a task that never has is not in it. */
export type LastSuccesses = ReadonlyMap<Task, Ms>;

/**
 * Scopes of a revocation, modes of a store, roles of operators and who made a backup; the other
 * details are codes of the error catalogue.
 */
const DETAIL_WORDS = [
  'all',
  'user',
  'client',
  'simulator',
  'live',
  'rehearsal',
  'viewer',
  'support',
  'admin',
  'elsewhere',
] as const;

/**
 * A closed list: no text from a caller and no identifier can get into the log this way. There are
 * two exceptions. What was wrong with a token has values only where the provider has signed them. A
 * name of the provider that a store is opened with is from the settings.
 */
export type AuditDetail =
  ErrorCode | (typeof DETAIL_WORDS)[number] | ProviderNameText | RefusedTokenText;

export function parseAuditDetail(text: string): AuditDetail | null {
  if (isErrorCode(text)) return text;
  if (isNameText(text)) return text;
  const word = DETAIL_WORDS.find((one) => one === text);
  return word ?? (parseRefused(text) === null ? null : (text as RefusedTokenText));
}

/** Who and what a row is about, as far as each is known. */
export interface AuditSubject {
  readonly attemptId: AttemptId | null;
  readonly userId: UserId | null;
  readonly client: string | null;
  /** A keyed digest: it shows that two rows concern the same person without naming the person. */
  readonly personDigest: Digest | null;
  readonly detail: AuditDetail | null;
  /** How many things the action changed. */
  readonly count: number | null;
}

export interface AuditEvent extends Partial<AuditSubject> {
  readonly at: Ms;
  readonly action: EventAction;
}

export interface RefusedTokenEvent extends AuditEvent {
  readonly action: 'provider.token_refused' | 'provider.token_unverified';
}

/** What a change or an event gives to the log, which adds who has done it, and its place in the chain. */
export interface NewAuditRow extends Partial<AuditSubject> {
  readonly at: Ms;
  readonly action: AuditAction;
}

export interface AuditRow extends AuditSubject {
  /** Counts from 1 without gaps. */
  readonly sequence: number;
  readonly at: Ms;
  readonly action: AuditAction;
  /** The hash of the row before; `NO_DIGEST` in the first row. */
  readonly previous: Digest;
  readonly hash: Digest;
  /** Who has done it, where it was an operator; applications and people are in the other values. */
  readonly actor: ActorText | null;
  readonly reason: string | null;
}

export interface AuditQuery {
  /** Return rows after this sequence; 0 for all rows. */
  readonly after: number;
  readonly limit: number;
  /** Return only the rows of this attempt. */
  readonly attemptId?: AttemptId;
}

export type AuditValue = string | number | null;

/** All values of a row except its own hash, in the order in which they are hashed. */
export type AuditValues = readonly AuditValue[];

/** The order is part of every hash ever written, so it never changes. */
export function hashedValues(row: Omit<AuditRow, 'hash'>): AuditValues {
  return [
    row.sequence,
    row.at,
    row.action,
    row.attemptId,
    row.userId,
    row.client,
    row.personDigest,
    row.detail,
    row.count,
    row.previous,
    ...hashedAct(row),
  ];
}

/**
 * The last values of a row, and only of one that has an actor or a reason: the hashes of all others
 * stay what they were before there was either. A row with two values more can't be taken for one
 * without them, as the number of values is part of what is hashed (`auditHash`).
 */
export function hashedAct({ actor, reason }: Readonly<Record<keyof Act, AuditValue>>): AuditValues {
  return actor === null && reason === null ? [] : [actor, reason];
}

/**
 * The hash that chains a row. Each value carries its type and its length, so that two different
 * rows never give the same input. The key is secret: without one anybody
 * could compute the hash, and it would show only accidental changes.
 */
export function auditHash(key: Uint8Array, values: AuditValues): Digest {
  return keyedDigestText(key, 'audit', ...values.map((value) => encode(value)));
}

function encode(value: AuditValue): string {
  if (value === null) return '';
  return typeof value === 'number' ? `n${value}` : `t${value}`;
}

/** Marks where the front of the log was cut: the next row must follow this hash. */
export interface AuditAnchor extends AuditHead {
  /** All removed rows were written before this time. */
  readonly at: Ms;
}

/** Uses the same key as the rows. It has fewer values than a row, so it can't be taken for one. */
export function anchorProof(key: Uint8Array, { count, hash, at }: AuditAnchor): Digest {
  return auditHash(key, ['anchor', count, hash, at]);
}

export interface AuditHead {
  readonly count: number;
  readonly hash: Digest;
}

export const EMPTY_AUDIT: AuditHead = { count: 0, hash: NO_DIGEST };
