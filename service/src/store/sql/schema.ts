import type { Generated } from 'kysely';

/**
 * The tables as types, for reading and writing rows and for checking the queries.
 * Times are milliseconds; ids and digests are text. The canonical text of a version 7 UUID sorts
 * like its bytes, so new rows are neighbours in the key's index.
 */
export interface AttemptRow {
  readonly attempt_id: string;
  readonly flow: string;
  readonly client: string;
  readonly token_digest: string;
  readonly locale: string;
  readonly national_id: string | null;
  readonly binding_code: string | null;
  readonly return_address: string | null;
  readonly created_at: number;
  readonly expires_at: number;
  readonly provider_expires_at: number | null;
  readonly authenticated_at: number | null;
  readonly rejected_at: number | null;
  readonly failed_at: number | null;
  readonly redeemed_at: number | null;
  readonly user_id: number | null;
  readonly end_reason: string | null;
  readonly completion_digest: string | null;
  readonly completion_expires_at: number | null;
  readonly completion_misses: number;
  readonly replay_salt: string | null;
  readonly replay_key_digest: string | null;
  readonly replay_body_digest: string | null;
  readonly replay_misses: number | null;
  /** Null in live mode. */
  readonly scenario: string | null;
}

/** A person's data as columns of `users`, sealed if `vault_key` is set. */
export interface PersonRow {
  readonly identity_digest: string;
  readonly vault_key: string | null;
  readonly issuer: string;
  readonly document_type: string;
  readonly document_number: string;
  readonly national_id: string;
  readonly arabic_name: string;
  readonly english_name: string;
  readonly email: string | null;
  readonly nationality: string;
  readonly gender: string;
  readonly assurance_level: number;
}

export interface UserRow extends PersonRow {
  readonly id: number;
  readonly preferred_locale: string;
  readonly last_auth_method: string;
  readonly created_at: number;
  readonly updated_at: number;
  readonly disabled_at: number | null;
  readonly sign_ins_ended_at: number | null;
}

export interface ApiTokenRow {
  readonly token_id: string;
  readonly token_digest: string;
  readonly attempt_id: string;
  readonly user_id: number;
  readonly client: string;
  readonly device_name: string | null;
  readonly created_at: number;
  readonly expires_at: number;
  readonly revoked_at: number | null;
}

export interface TransactionRow {
  readonly attempt_id: string;
  readonly kind: string;
  readonly launch_url: string | null;
  readonly state_digest: string | null;
  readonly nonce: string | null;
  readonly browser_digest: string | null;
  readonly transaction_id: string | null;
  readonly completed_seen_at: number | null;
  /** If it is set, `launch_url` is null. */
  readonly spoiled_at: number | null;
  readonly kept_tokens: string | null;
}

export interface PushRow {
  readonly push_id: number;
  readonly attempt_id: string;
  /** Null after a success has emptied the person's budget. */
  readonly person_digest: string | null;
  readonly client: string;
  readonly admitted_at: number;
  /** When the push has left the longest window, and may be deleted. */
  readonly counts_until: number;
}

/** Who was erased and is kept out: only the digest that their row in `users` would have. */
export interface ErasedPersonRow {
  readonly identity_digest: string;
  /** The key that the digest was made with; null without a vault. */
  readonly vault_key: string | null;
  readonly erased_at: number;
}

/** What oidc-provider keeps. Nobody can read a secret from it: ids are digests, the body is sealed. */
export interface OpenidRecordRow {
  readonly record_digest: string;
  readonly model: string;
  readonly body: string;
  /** The key that the body is sealed with; null without a vault. */
  readonly vault_key: string | null;
  readonly grant_digest: string | null;
  /** The column of this name of the user whom it is about. */
  readonly subject: string | null;
  readonly client: string | null;
  /** The attempt by which an interaction signs somebody in. */
  readonly attempt_id: string | null;
  /** Null for signing keys, which stay. */
  readonly expires_at: number | null;
  readonly consumed_at: number | null;
  /** Of an ended sign-in: when its client is to be told of it. */
  readonly due_at: number | null;
}

/** An event for one receiver. `next_at` is set while it is to be sent, `ended_at` afterwards. */
export interface DeliveryRow {
  readonly delivery_id: string;
  readonly client: string;
  readonly receiver: string;
  readonly event: string;
  readonly attempt_id: string | null;
  readonly user_id: number | null;
  readonly reason: string | null;
  readonly at: number;
  readonly since: number;
  readonly tries: number;
  readonly next_at: number | null;
  readonly ended_at: number | null;
  /** `delivered` or `given_up`, with `ended_at`. */
  readonly outcome: string | null;
  readonly answer: string | null;
}

/** A receiver that has answered 410. */
export interface SwitchedOffRow {
  readonly receiver: string;
  readonly client: string;
  readonly at: number;
}

/** Expiries up to this time have been told. At most one row. */
export interface SweepRow {
  readonly id: number;
  readonly swept_to: number;
}

/** At most one row. The provider's columns are null in simulator mode. */
export interface BindingRow {
  readonly id: number;
  readonly mode: string;
  readonly provider_url: string | null;
  readonly path_prefix: string | null;
  readonly issuer: string | null;
}

/** A prefix or an issuer of the provider beside those of store_seal. */
export interface ProviderNameRow {
  readonly kind: string;
  readonly value: string;
}

/** `query`, `body` and `answer` are JSON, with every secret and identity value replaced. */
export interface CallRow {
  readonly call_id: number;
  readonly attempt_id: string;
  readonly at: number;
  readonly operation: string;
  readonly query: string;
  readonly body: string;
  readonly status: number | null;
  readonly answer: string;
  readonly reference: number | null;
  readonly refusal: string | null;
  readonly duration_ms: number;
}

/** Triggers prevent changes; rows may be deleted only up to the anchor. */
export interface AuditLogRow {
  readonly sequence: number;
  readonly at: number;
  readonly action: string;
  readonly attempt_id: string | null;
  readonly user_id: number | null;
  readonly client: string | null;
  readonly person_digest: string | null;
  readonly detail: string | null;
  readonly count: number | null;
  readonly previous: string;
  readonly hash: string;
  readonly actor: string | null;
  readonly reason: string | null;
}

/** The columns of a row before it is chained. */
export type NewAuditColumns = Omit<AuditLogRow, 'sequence' | 'previous' | 'hash'>;

/** The end of the log, updated by a trigger. One row. */
export interface AuditHeadRow {
  readonly id: number;
  readonly sequence: number;
  readonly hash: string;
}

/** The row after which the log begins, and the proof of it. One row. */
export interface AuditAnchorRow {
  readonly id: number;
  readonly sequence: number;
  readonly hash: string;
  /** All removed rows were written before this time. */
  readonly at: number;
  readonly proof: string;
}

/** A table of SQLite itself. */
export interface SequenceRow {
  readonly name: string;
  readonly seq: number;
}

export interface Tables {
  /** The values of many changes at once, in the form of a statement for them. */
  readonly given: { readonly v: null };
  readonly sqlite_sequence: SequenceRow;
  readonly provider_calls: Omit<CallRow, 'call_id'> & { readonly call_id: Generated<number> };
  readonly audit_log: AuditLogRow;
  readonly audit_head: AuditHeadRow;
  readonly audit_anchor: AuditAnchorRow;
  readonly store_seal: BindingRow;
  readonly provider_names: ProviderNameRow;
  readonly attempts: AttemptRow;
  readonly provider_transactions: TransactionRow;
  readonly pushes: Omit<PushRow, 'push_id'> & { readonly push_id: Generated<number> };
  readonly users: Omit<UserRow, 'id' | 'disabled_at'> & {
    readonly id: Generated<number>;
    readonly disabled_at: Generated<number | null>;
    /** The `sub` that OpenID clients know; null until the first sign-in by one of them. */
    readonly subject: Generated<string | null>;
  };
  readonly openid_records: OpenidRecordRow;
  readonly webhook_deliveries: DeliveryRow;
  readonly webhooks_off: SwitchedOffRow;
  readonly webhook_sweep: SweepRow;
  readonly api_tokens: ApiTokenRow;
  readonly erased_people: ErasedPersonRow;
}
