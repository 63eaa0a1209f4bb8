import { HASHED_COLUMNS } from '../audit-rows.ts';
import type {
  ApiTokenRow,
  AttemptRow,
  AuditLogRow,
  BindingRow,
  CallRow,
  DeliveryRow,
  OpenidRecordRow,
  PersonRow,
  TransactionRow,
  UserRow,
} from '../schema.ts';

/**
 * The columns of each table. Every statement names the columns that it reads: with `*` the answer of
 * a prepared statement would change when a later version adds a column, which PostgreSQL refuses.
 */
export const ATTEMPT_COLUMNS = [
  'attempt_id',
  'flow',
  'client',
  'token_digest',
  'locale',
  'national_id',
  'binding_code',
  'return_address',
  'created_at',
  'expires_at',
  'provider_expires_at',
  'authenticated_at',
  'rejected_at',
  'failed_at',
  'redeemed_at',
  'user_id',
  'end_reason',
  'completion_digest',
  'completion_expires_at',
  'completion_misses',
  'replay_salt',
  'replay_key_digest',
  'replay_body_digest',
  'replay_misses',
  'scenario',
] as const satisfies readonly (keyof AttemptRow)[];

export const TRANSACTION_COLUMNS = [
  'attempt_id',
  'kind',
  'launch_url',
  'state_digest',
  'nonce',
  'browser_digest',
  'transaction_id',
  'completed_seen_at',
  'spoiled_at',
  'kept_tokens',
] as const satisfies readonly (keyof TransactionRow)[];

/** The columns with a person's data. */
export const PERSON_COLUMNS = [
  'identity_digest',
  'vault_key',
  'issuer',
  'document_type',
  'document_number',
  'national_id',
  'arabic_name',
  'english_name',
  'email',
  'nationality',
  'gender',
  'assurance_level',
] as const satisfies readonly (keyof PersonRow)[];

export const USER_COLUMNS = [
  'id',
  ...PERSON_COLUMNS,
  'preferred_locale',
  'last_auth_method',
  'created_at',
  'updated_at',
  'disabled_at',
  'sign_ins_ended_at',
] as const satisfies readonly (keyof UserRow)[];

export const TOKEN_COLUMNS = [
  'token_id',
  'token_digest',
  'attempt_id',
  'user_id',
  'client',
  'device_name',
  'created_at',
  'expires_at',
  'revoked_at',
] as const satisfies readonly (keyof ApiTokenRow)[];

/** What is known of a call before the database numbers it. */
export const CALL_COLUMNS = [
  'attempt_id',
  'at',
  'operation',
  'query',
  'body',
  'status',
  'answer',
  'reference',
  'refusal',
  'duration_ms',
] as const satisfies readonly (keyof CallRow)[];

export const AUDIT_COLUMNS = [
  ...HASHED_COLUMNS,
  'hash',
] as const satisfies readonly (keyof AuditLogRow)[];

export const OPENID_COLUMNS = [
  'record_digest',
  'model',
  'body',
  'vault_key',
  'grant_digest',
  'subject',
  'client',
  'attempt_id',
  'expires_at',
  'consumed_at',
  'due_at',
] as const satisfies readonly (keyof OpenidRecordRow)[];

export const BINDING_COLUMNS = [
  'id',
  'mode',
  'provider_url',
  'path_prefix',
  'issuer',
] as const satisfies readonly (keyof BindingRow)[];

export const DELIVERY_COLUMNS = [
  'delivery_id',
  'client',
  'receiver',
  'event',
  'attempt_id',
  'user_id',
  'reason',
  'at',
  'since',
  'tries',
  'next_at',
  'ended_at',
  'outcome',
  'answer',
] as const satisfies readonly (keyof DeliveryRow)[];
