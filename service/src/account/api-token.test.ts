import { hash } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  apiTokenDigest,
  isTokenActive,
  makeApiToken,
  makeApiTokenId,
  parseApiToken,
  parseApiTokenId,
  type ApiTokenRecord,
} from './api-token.ts';
import { attemptTokenDigest } from '../attempt/attempt.ts';

const LEAST = new Uint8Array(32);
const GREATEST = new Uint8Array(32).fill(0xff);
const SOME = Uint8Array.from({ length: 32 }, (_, at) => at * 7);

/** What the program does with small numbers, done with a large one. */
function base62(bytes: Uint8Array, digits: number): string {
  const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
  const value = BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
  return Array.from({ length: digits }, (_, at) =>
    alphabet.charAt(Number((value / 62n ** BigInt(digits - 1 - at)) % 62n)),
  ).join('');
}

describe('the text of a token', () => {
  it.each([
    ['simulator', /^mft_test_[0-9A-Za-z]{43}[0-9A-Za-z]{6}$/],
    ['live', /^mft_[0-9A-Za-z]{43}[0-9A-Za-z]{6}$/],
  ] as const)('can be told at sight: %s', (mark, form) => {
    for (const secret of [LEAST, SOME, GREATEST]) {
      expect(makeApiToken(mark, secret).reveal()).toMatch(form);
    }
  });

  it('has the same length whatever the secret is', () => {
    const lengths = [LEAST, SOME, GREATEST].map(
      (secret) => makeApiToken('simulator', secret).reveal().length,
    );
    expect(new Set(lengths)).toEqual(new Set([58]));
  });

  it('is another one for another secret, be it by one bit', () => {
    const other = Uint8Array.from(SOME);
    other[31] = (other[31] ?? 0) ^ 1;
    expect(makeApiToken('live', SOME).reveal()).not.toBe(makeApiToken('live', other).reveal());
  });

  it('is the secret as a number of base 62, then the number of its checksum', () => {
    const someSecret = fc.uint8Array({ minLength: 32, maxLength: 32 });
    fc.assert(
      fc.property(someSecret, (secret) => {
        const body = `mft_${base62(secret, 43)}`;
        const sum = hash('sha256', `checksum\0${body}`, 'buffer');
        expect(makeApiToken('live', secret).reveal()).toBe(body + base62(sum, 6));
      }),
      { examples: [[LEAST], [SOME], [GREATEST]] },
    );
  });

  it('is always the same for the same secret', () => {
    expect(makeApiToken('simulator', LEAST).reveal()).toBe(
      makeApiToken('simulator', new Uint8Array(32)).reveal(),
    );
  });
});

describe('reading a token', () => {
  const text = makeApiToken('simulator', SOME).reveal();

  it('gives its digest', () => {
    expect(parseApiToken('simulator', text)).toBe(apiTokenDigest(text));
  });

  it('refuses every change of one character', () => {
    for (let at = 0; at < text.length; at += 1) {
      const changed = text.slice(0, at) + (text[at] === 'x' ? 'y' : 'x') + text.slice(at + 1);
      expect(parseApiToken('simulator', changed), changed).toBeNull();
    }
  });

  it.each([
    '',
    'mft_test_',
    text.slice(1),
    text.slice(0, -1),
    `${text}0`,
    ` ${text}`,
    `${text}\n`,
    text.toUpperCase(),
    text.replace('mft_test_', 'mft_'),
    text.replace('mft_', 'mfk_'),
  ])('refuses %j', (wrong) => {
    expect(parseApiToken('simulator', wrong)).toBeNull();
  });

  it('refuses a token of the other mode', () => {
    expect(parseApiToken('live', text)).toBeNull();
    expect(parseApiToken('simulator', makeApiToken('live', SOME).reveal())).toBeNull();
  });

  it('has a digest of its own: an attempt token of the same text has another', () => {
    expect(apiTokenDigest(text)).not.toBe(attemptTokenDigest(text));
  });
});

describe('the id of a token', () => {
  it('is a UUID that can be read back', () => {
    const id = makeApiTokenId(1_800_000_000_000, SOME);
    expect(parseApiTokenId(id)).toBe(id);
    expect(parseApiTokenId(id.toUpperCase())).toBe(id);
  });
});

describe('a token is active', () => {
  const record = { revokedAt: null, expiresAt: 1000 } as ApiTokenRecord;

  it('up to its expiry, not at it', () => {
    expect(isTokenActive(record, 999)).toBe(true);
    expect(isTokenActive(record, 1000)).toBe(false);
  });

  it('never once it was revoked, whenever that was', () => {
    for (const revokedAt of [0, 500, 5000]) {
      expect(isTokenActive({ ...record, revokedAt }, 100)).toBe(false);
    }
  });
});
