/**
 * The values that are integers; all others are text. PostgreSQL has to be told, because a value in
 * the list of a SELECT has no type by itself.
 */
const INTEGERS = [
  'admitted_at',
  'after',
  'assurance_level',
  'at',
  'authenticated_at',
  'before',
  'client_quota',
  'client_since',
  'completed_seen_at',
  'completion_expires_at',
  'completion_misses',
  'consumed_at',
  'cooling_since',
  'count',
  'counts_until',
  'created_at',
  'disabled_at',
  'decided',
  'due_at',
  'duration_ms',
  'ended_at',
  'erase',
  'erased_at',
  'expires_at',
  'failed_at',
  'id',
  'last',
  'limit',
  'looked_at',
  'next_at',
  'offset',
  'provider_expires_at',
  'redeemed_at',
  'reference',
  'rejected_at',
  'replay_misses',
  'revoked_at',
  'sequence',
  'service_quota',
  'service_since',
  'since',
  'sign_ins_ended_at',
  'spoiled_at',
  'status',
  'swept_to',
  'tries',
  'until',
  'updated_at',
  'user_id',
] as const;

export type IntegerName = (typeof INTEGERS)[number];

export type ValueType = 'integer' | 'text';

/** The type of the value with this name in a statement. */
export function typeOf(name: string): ValueType {
  return INTEGERS.some((integer) => integer === name) ? 'integer' : 'text';
}
