import { canonicalUuid, plainId, UUID_PATTERN } from '@miftah/contract/uuid';
import type { Branded } from './brand.ts';
import { DAY_MS, type Ms } from './time.ts';

export { canonicalUuid, plainId };

export const UUID_RANDOM_BYTES = 10;

/** Two hex digits for each byte value, precomputed because every request needs an id. */
const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

const CANONICAL = new RegExp(UUID_PATTERN);

/** 48 bits: a later time would need a 13th digit. */
const LAST_TIME = 2 ** 48 - 1;

/**
 * RFC 9562 section 5.7: 48 bits of Unix time in milliseconds, then 74 random bits.
 * @throws RangeError when the id would not be well-formed, or would not be random
 */
export function uuidVersion7(at: Ms, random: Uint8Array): string {
  if (random.length < UUID_RANDOM_BYTES) throw new RangeError('too few random bytes for a UUID');
  if (!Number.isSafeInteger(at) || at < 0 || at > LAST_TIME) {
    throw new RangeError('a UUID needs a time in whole milliseconds since 1970');
  }
  const time = at.toString(16).padStart(12, '0');
  const hex = (index: number) => HEX[random[index] ?? 0] ?? '';
  const version = HEX[((random[0] ?? 0) & 0x0f) | 0x70] ?? '';
  const variant = HEX[((random[2] ?? 0) & 0x3f) | 0x80] ?? '';
  const node = hex(4) + hex(5) + hex(6) + hex(7) + hex(8) + hex(9);
  return `${time.slice(0, 8)}-${time.slice(8)}-${version}${hex(1)}-${variant}${hex(3)}-${node}`;
}

/** Whether the text is a UUID of any version, in the canonical lower-case form. */
export function isUuid(text: string): boolean {
  return CANONICAL.test(text);
}

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

/** More new users than a store of this service can take: its audit log does not grow so fast. */
const MOST_IDS_PER_MS = 10;
/** Beside those of the time, which two clocks do not agree about. */
const LEAST_GAP = 10_000_000;
/** When the clock is behind what the store has seen, nothing is known of the time between. */
const UNKNOWN_MS = 365 * DAY_MS;
/** Of the random number that then takes the place of the time. */
export const PLACE_DIGITS = 13;

/**
 * How many ids may have been given to users that nobody knows of any more, at most. Migration
 * 0015 of PostgreSQL counts in the same way.
 * @param knownAt when the highest id that is known was the highest of all
 * @param drawPlace a random number of `PLACE_DIGITS` digits
 */
export function idsGivenSince(knownAt: Ms, at: Ms, drawPlace: () => number): number {
  // Two restores of one backup with such a clock begin at places that have nothing in common.
  if (at < knownAt) return LEAST_GAP + UNKNOWN_MS * MOST_IDS_PER_MS + drawPlace();
  // A sum: of two restores of one backup, the later one begins above what the earlier one gave.
  return LEAST_GAP + (at - knownAt) * MOST_IDS_PER_MS;
}
