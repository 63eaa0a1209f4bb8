import { hash } from 'node:crypto';
import type { Branded } from '../values/brand.ts';
import { type Digest, Secret, digestOf } from '../values/secret.ts';
import { type AttemptId, canonicalUuid, uuidVersion7 } from '../values/ids.ts';
import { DAY_MS, type Ms } from '../values/time.ts';
import type { UserId } from './user.ts';

export const API_TOKEN_BYTES = 32;
export const DEFAULT_API_TOKEN_LIFETIME_MS = 30 * DAY_MS;

/**
 * Simulator tokens have their own prefix, so that everybody can tell them from real ones and a live
 * store can refuse them.
 */
export const API_TOKEN_PREFIXES = { live: 'mft_', simulator: 'mft_test_' } as const;
export type TokenMark = keyof typeof API_TOKEN_PREFIXES;

const DIGITS = Buffer.from('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz');
/** 62^43 is the first power of 62 above 2^256. */
const SECRET_LENGTH = 43;
const CHECKSUM_LENGTH = 6;
const TWO_DIGITS = 62 ** 2;
const FORM = /^(mft_test_|mft_)([0-9A-Za-z]{43})([0-9A-Za-z]{6})$/;

/**
 * The public identifier of a token, for lists and revocation. It reveals nothing of the token
 * itself.
 */
export type ApiTokenId = Branded<string, 'ApiTokenId'>;

/** A row of the token table. It holds the digest of the token, never its text. */
export interface ApiTokenRecord {
  readonly tokenId: ApiTokenId;
  readonly tokenDigest: Digest;
  readonly attemptId: AttemptId;
  readonly userId: UserId;
  readonly client: string;
  readonly deviceName: string | null;
  readonly createdAt: Ms;
  readonly expiresAt: Ms;
  readonly revokedAt: Ms | null;
}

export function makeApiToken(mark: TokenMark, secret: Uint8Array): Secret {
  const body = API_TOKEN_PREFIXES[mark] + base62(secret, SECRET_LENGTH);
  return new Secret(body + checksum(body));
}

/**
 * The digest under which the store keeps the token; null for text that can't be one of our tokens.
 */
export function parseApiToken(mark: TokenMark, text: string): Digest | null {
  const [, prefix, secret, sum] = FORM.exec(text) ?? [];
  if (prefix !== API_TOKEN_PREFIXES[mark] || secret === undefined) return null;
  return checksum(prefix + secret) === sum ? apiTokenDigest(text) : null;
}

export function apiTokenDigest(text: string): Digest {
  return digestOf('api-token', text);
}

export function makeApiTokenId(at: Ms, random: Uint8Array): ApiTokenId {
  return uuidVersion7(at, random) as ApiTokenId;
}

export function parseApiTokenId(text: string): ApiTokenId | null {
  return canonicalUuid(text) as ApiTokenId | null;
}

/** A token is active before its expiry time; at that time it no longer is. */
export function isTokenActive(token: ApiTokenRecord, now: Ms): boolean {
  return token.revokedAt === null && now < token.expiresAt;
}

/**
 * The last digits of the number that the bytes are, the most significant byte first. The number of
 * bytes is even.
 */
function base62(bytes: Uint8Array, digits: number): string {
  const number = wordsOf(bytes);
  let first = 0;
  const pairs = Math.ceil(digits / 2);
  const text = Buffer.alloc(2 * pairs);
  for (let at = 2 * pairs - 2; at >= 0; at -= 2) {
    const two = divide(number, first);
    const tens = (two / 62) | 0;
    text[at] = DIGITS[tens] ?? 0;
    text[at + 1] = DIGITS[two - tens * 62] ?? 0;
    if (number[first] === 0) first += 1;
  }
  return text.toString('latin1', 2 * pairs - digits);
}

/** Two bytes each. */
function wordsOf(bytes: Uint8Array): Uint16Array {
  const words = new Uint16Array(bytes.length / 2);
  for (let at = 0; at < words.length; at += 1) {
    words[at] = ((bytes[2 * at] ?? 0) << 8) | (bytes[2 * at + 1] ?? 0);
  }
  return words;
}

/**
 * Divides the number by 62^2, in place. A remainder times 2^16 is below 2^31, and `| 0` tells V8 so:
 * all of it is arithmetic of small integers, which costs less than a BigInt.
 * @returns the remainder
 */
function divide(words: Uint16Array, first: number): number {
  let remainder = 0;
  for (let at = first; at < words.length; at += 1) {
    const dividend = (remainder << 16) | (words[at] ?? 0);
    const quotient = (dividend / TWO_DIGITS) | 0;
    words[at] = quotient;
    remainder = dividend - quotient * TWO_DIGITS;
  }
  return remainder;
}

/**
 * The checksum lets secret scanners, and us, reject a mistyped token without a look-up in the
 * store.
 */
function checksum(body: string): string {
  const sum = hash('sha256', `checksum\0${body}`, 'buffer');
  return base62(sum, CHECKSUM_LENGTH);
}
