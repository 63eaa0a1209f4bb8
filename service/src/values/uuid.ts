import { canonicalUuid, plainId, UUID_PATTERN } from '@miftah/contract/uuid';
import type { Ms } from './time.ts';

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
