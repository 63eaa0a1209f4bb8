import { createHmac, hash, timingSafeEqual } from 'node:crypto';
import type { Branded } from './brand.ts';

/**
 * A value that must never be printed. Accidental conversion to text (a log line, a template, JSON)
 * gives a marker. Only `reveal()` gives the value, so every use of it can be found.
 */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return '[secret]';
  }

  toJSON(): string {
    return '[secret]';
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return '[secret]';
  }
}

/** Our keys, tokens and secrets, 32 bytes in hex, and an address with an `@`, which may hold a password. */
const LIKE_A_SECRET = /@|\b(?:mf[kt]|whsec)_|^[0-9a-f]{64}$/i;

/** Whether a text that was written where no secret belongs may be one all the same. */
export function mayBeSecret(text: string): boolean {
  return LIKE_A_SECRET.test(text);
}

/** SHA-256 or HMAC-SHA-256, as base64url text of 43 characters. */
export type Digest = Branded<string, 'Digest'>;

export const DIGEST_LENGTH = 43;

/**
 * What a digest is of. The purpose is hashed together with the value, so that a value of one kind
 * can't be used as another kind (an attempt token as a Bearer token, for example).
 */
export type Purpose = 'attempt' | 'api-token' | 'completion' | 'browser' | 'openid' | 'operator';

export function digestOf(purpose: Purpose, value: string): Digest {
  return hash('sha256', `${purpose}\0${value}`, 'base64url') as Digest;
}

/**
 * HMAC-SHA-256 over parts that are each preceded by their length, so that no two different lists of
 * parts give the same input.
 */
export function keyedDigest(key: Uint8Array, label: string, ...parts: string[]): Buffer {
  const text = [label, ...parts].map((part) => `${Buffer.byteLength(part)}:${part}`).join('');
  return createHmac('sha256', key).update(text).digest();
}

/** In the place of a key where there is none: everybody can compute what is made with it. */
export const NO_KEY = new Uint8Array();

/** Every key of the server that is known, the current one first. */
export function allKeys({
  current,
  retired,
}: {
  readonly current: Uint8Array;
  readonly retired: readonly Uint8Array[];
}): [Uint8Array, ...Uint8Array[]] {
  return [current, ...retired];
}

export function keyedDigestText(key: Uint8Array, label: string, ...parts: string[]): Digest {
  return keyedDigest(key, label, ...parts).toString('base64url') as Digest;
}

const DIGEST_FORM = /^[\w-]{43}$/;

/** Null for text that can't be a digest, for example from a damaged row. */
export function parseDigest(text: string): Digest | null {
  return DIGEST_FORM.test(text) ? (text as Digest) : null;
}

/** Compared when there is no row to take a digest from, so that both cases do the same work. */
export const NO_DIGEST = '-'.repeat(DIGEST_LENGTH) as Digest;

export function sameDigest(one: Digest, other: Digest): boolean {
  return timingSafeEqual(Buffer.from(one), Buffer.from(other));
}
