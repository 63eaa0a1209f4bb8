import type {
  ApiTokenRow,
  AttemptRow,
  AuditLogRow,
  BindingRow,
  CallRow,
  DeliveryRow,
  ErasedPersonRow,
  OpenidRecordRow,
  ProviderNameRow,
  PushRow,
  SweepRow,
  SwitchedOffRow,
  TransactionRow,
  UserRow,
} from './schema.ts';
import type { ValueType } from './value-types.ts';

/** A column of earlier versions. */
interface HandleRow {
  readonly handle_digest: string | null;
}

/** A table that a move takes along, with every column of it. */
export interface MovedTable {
  readonly name: string;
  /** The columns of its key, in whose order the rows are read. */
  readonly key: readonly string[];
  readonly columns: Readonly<Record<string, ValueType>>;
}

function moved<Row>(
  name: string,
  key: readonly (keyof Row & string)[],
  columns: Readonly<Record<keyof Row & string, ValueType>>,
): MovedTable {
  return { name, key, columns };
}

/**
 * All that `miftah move` copies, in an order in which no row comes before one that it refers to. A
 * test compares the list with the migrated schemas of both engines: a table or a column that is not
 * in it would be lost.
 */
export const MOVED_TABLES: readonly MovedTable[] = [
  moved<BindingRow>('store_seal', ['id'], {
    id: 'integer',
    mode: 'text',
    provider_url: 'text',
    path_prefix: 'text',
    issuer: 'text',
  }),
  moved<ProviderNameRow>('provider_names', ['kind', 'value'], { kind: 'text', value: 'text' }),
  moved<UserRow & { readonly subject: string | null }>('users', ['id'], {
    id: 'integer',
    identity_digest: 'text',
    vault_key: 'text',
    issuer: 'text',
    document_type: 'text',
    document_number: 'text',
    national_id: 'text',
    arabic_name: 'text',
    english_name: 'text',
    email: 'text',
    nationality: 'text',
    gender: 'text',
    assurance_level: 'integer',
    preferred_locale: 'text',
    last_auth_method: 'text',
    created_at: 'integer',
    updated_at: 'integer',
    disabled_at: 'integer',
    sign_ins_ended_at: 'integer',
    subject: 'text',
  }),
  moved<AttemptRow>('attempts', ['attempt_id'], {
    attempt_id: 'text',
    flow: 'text',
    client: 'text',
    token_digest: 'text',
    locale: 'text',
    national_id: 'text',
    binding_code: 'text',
    return_address: 'text',
    created_at: 'integer',
    expires_at: 'integer',
    provider_expires_at: 'integer',
    authenticated_at: 'integer',
    rejected_at: 'integer',
    failed_at: 'integer',
    redeemed_at: 'integer',
    user_id: 'integer',
    end_reason: 'text',
    completion_digest: 'text',
    completion_expires_at: 'integer',
    completion_misses: 'integer',
    replay_salt: 'text',
    replay_key_digest: 'text',
    replay_body_digest: 'text',
    replay_misses: 'integer',
    scenario: 'text',
  }),
  moved<TransactionRow>('provider_transactions', ['attempt_id'], {
    attempt_id: 'text',
    kind: 'text',
    launch_url: 'text',
    state_digest: 'text',
    nonce: 'text',
    browser_digest: 'text',
    transaction_id: 'text',
    completed_seen_at: 'integer',
    spoiled_at: 'integer',
    kept_tokens: 'text',
  }),
  moved<CallRow>('provider_calls', ['call_id'], {
    call_id: 'integer',
    attempt_id: 'text',
    at: 'integer',
    operation: 'text',
    query: 'text',
    body: 'text',
    status: 'integer',
    answer: 'text',
    reference: 'integer',
    refusal: 'text',
    duration_ms: 'integer',
  }),
  moved<PushRow>('pushes', ['push_id'], {
    push_id: 'integer',
    attempt_id: 'text',
    person_digest: 'text',
    client: 'text',
    admitted_at: 'integer',
    counts_until: 'integer',
  }),
  moved<ApiTokenRow>('api_tokens', ['token_id'], {
    token_id: 'text',
    token_digest: 'text',
    attempt_id: 'text',
    user_id: 'integer',
    client: 'text',
    device_name: 'text',
    created_at: 'integer',
    expires_at: 'integer',
    revoked_at: 'integer',
  }),
  moved<ErasedPersonRow>('erased_people', ['identity_digest'], {
    identity_digest: 'text',
    vault_key: 'text',
    erased_at: 'integer',
  }),
  moved<OpenidRecordRow & HandleRow>('openid_records', ['record_digest'], {
    record_digest: 'text',
    model: 'text',
    body: 'text',
    vault_key: 'text',
    grant_digest: 'text',
    handle_digest: 'text',
    subject: 'text',
    client: 'text',
    attempt_id: 'text',
    expires_at: 'integer',
    consumed_at: 'integer',
    due_at: 'integer',
  }),
  moved<DeliveryRow>('webhook_deliveries', ['delivery_id'], {
    delivery_id: 'text',
    client: 'text',
    receiver: 'text',
    event: 'text',
    attempt_id: 'text',
    user_id: 'integer',
    reason: 'text',
    at: 'integer',
    since: 'integer',
    tries: 'integer',
    next_at: 'integer',
    ended_at: 'integer',
    outcome: 'text',
    answer: 'text',
  }),
  moved<SwitchedOffRow>('webhooks_off', ['receiver'], {
    receiver: 'text',
    client: 'text',
    at: 'integer',
  }),
  moved<SweepRow>('webhook_sweep', ['id'], { id: 'integer', swept_to: 'integer' }),
  moved<AuditLogRow>('audit_log', ['sequence'], {
    sequence: 'integer',
    at: 'integer',
    action: 'text',
    attempt_id: 'text',
    user_id: 'integer',
    client: 'text',
    person_digest: 'text',
    detail: 'text',
    count: 'integer',
    previous: 'text',
    hash: 'text',
    actor: 'text',
    reason: 'text',
  }),
];

/** Their one row each is set by itself, because triggers guard it. */
export const ENDS_OF_LOG = ['audit_anchor', 'audit_head'] as const;

export const columnsOf = ({ columns }: MovedTable): readonly string[] => Object.keys(columns);

/** All rows of a table, in the order of its key. */
export function selectAllOf(table: MovedTable): string {
  return `SELECT ${columnsOf(table).join(', ')} FROM ${table.name} ORDER BY ${table.key.join(', ')}`;
}
