import type { Branded } from '../values/brand.ts';
import { canonicalUuid, UUID_RANDOM_BYTES, uuidVersion7 } from '../values/uuid.ts';
import type { Ms } from '../values/time.ts';

export type AttemptId = Branded<string, 'AttemptId'>;

/**
 * UUID version 7 begins with the time, so that new rows are neighbours in the store's key order.
 */
export function makeAttemptId(at: Ms, random: Uint8Array): AttemptId {
  return uuidVersion7(at, random) as AttemptId;
}

/** Attempts that were started at this time or later have no smaller id. */
export function firstIdAt(at: Ms): AttemptId {
  return makeAttemptId(Math.max(at, 0), new Uint8Array(UUID_RANDOM_BYTES));
}

/** Greater than the id of every attempt (RFC 9562 section 5.10). */
export const AFTER_ALL_ATTEMPTS = 'ffffffff-ffff-ffff-ffff-ffffffffffff' as AttemptId;

/**
 * An id that no attempt has: its version is not 7. It is looked up in place of text that can't be
 * an id.
 */
export const NO_ATTEMPT_ID = '00000000-0000-0000-0000-000000000000' as AttemptId;

/** In the canonical form; null for what is no UUID. */
export function parseAttemptId(text: string): AttemptId | null {
  return canonicalUuid(text) as AttemptId | null;
}
