import { hash } from 'node:crypto';
import type { Branded } from './brand.ts';
import { digestOf, type Digest } from './digest.ts';
import { Secret } from './secret.ts';
import type { AttemptId } from './attempt-id.ts';
import { DAY_MS, type Ms } from './time.ts';
import type { UserId } from './user.ts';
import { parseUuid, uuidVersion7 } from './uuid.ts';

export const API_TOKEN_BYTES = 32;
export const DEFAULT_API_TOKEN_LIFETIME_MS = 30 * DAY_MS;
export const DEVICE_NAME_MAX_LENGTH = 255;

/** A token of the simulator can be told from a real one at sight, and a live store refuses it. */
export const API_TOKEN_PREFIXES = { live: 'mft_', simulator: 'mft_test_' } as const;
export type TokenMark = keyof typeof API_TOKEN_PREFIXES;

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** 62^43 is the first power of 62 above 2^256. */
const SECRET_LENGTH = 43;
const CHECKSUM_LENGTH = 6;
const FORM = /^(mft_test_|mft_)([0-9A-Za-z]{43})([0-9A-Za-z]{6})$/;

/** The public name of a token in lists and revocation: says nothing about the token itself. */
export type ApiTokenId = Branded<string, 'ApiTokenId'>;

/** A row of the token table. The token's own text is nowhere in it. */
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
  const body = API_TOKEN_PREFIXES[mark] + base62(secret);
  return new Secret(body + checksum(body));
}

/** The digest under which a token is looked up, or null for text that can't be one of ours. */
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
  return parseUuid(text) as ApiTokenId | null;
}

/** Half-open: a token is good up to, and not at, its expiry. */
export function isTokenActive(token: ApiTokenRecord, now: Ms): boolean {
  return token.revokedAt === null && now < token.expiresAt;
}

function base62(bytes: Uint8Array): string {
  let rest = BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
  let text = '';
  for (let position = 0; position < SECRET_LENGTH; position += 1) {
    text = BASE62.charAt(Number(rest % 62n)) + text;
    rest /= 62n;
  }
  return text;
}

/** Lets a scanner, and us, discard a mistyped token without asking the store. */
function checksum(body: string): string {
  const sum = hash('sha256', `checksum\0${body}`, 'buffer');
  return base62(sum).slice(-CHECKSUM_LENGTH);
}
