import type { Ms } from './time.ts';

export const UUID_RANDOM_BYTES = 10;

export const UUID_PATTERN = '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$';
const CANONICAL = new RegExp(UUID_PATTERN);

/** RFC 9562 section 5.7: 48 bits of Unix time in milliseconds, then 74 random bits. */
export function uuidVersion7(at: Ms, random: Uint8Array): string {
  const bytes = Buffer.alloc(16);
  bytes.writeUIntBE(at, 0, 6);
  bytes.set(random.subarray(0, UUID_RANDOM_BYTES), 6);
  bytes[6] = (bytes.readUInt8(6) & 0x0f) | 0x70;
  bytes[8] = (bytes.readUInt8(8) & 0x3f) | 0x80;
  return hyphenated(bytes.toString('hex'));
}

export function parseUuid(text: string): string | null {
  return CANONICAL.test(text) ? text : null;
}

function hyphenated(hex: string): string {
  const groups = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20)];
  return [...groups, hex.slice(20)].join('-');
}
