import { createHmac, hash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { ATTEMPT_TOKEN_LENGTH } from '@miftah/contract/values';
import { attemptTokenDigest, makeAttemptToken } from '../attempt/attempt.ts';
import { completionCodeDigest, makeCompletionCode } from '../attempt/redeem/completion-code.ts';
import {
  DIGEST_LENGTH,
  digestOf,
  keyedDigest,
  keyedDigestText,
  NO_DIGEST,
  parseDigest,
  sameDigest,
  type Digest,
} from './secret.ts';

const KEY = Buffer.from('a key of the server');

describe('a digest', () => {
  it('is SHA-256 over purpose and value', () => {
    expect(digestOf('attempt', 'value')).toBe(hash('sha256', 'attempt\0value', 'base64url'));
  });

  it('differs by purpose, so that no secret passes for one of another kind', () => {
    const purposes = ['attempt', 'api-token', 'completion', 'browser'] as const;
    const digests = purposes.map((purpose) => digestOf(purpose, 'value'));
    expect(new Set(digests).size).toBe(4);
    expect(attemptTokenDigest('value')).toBe(digests[0]);
    expect(completionCodeDigest('value')).toBe(digests[2]);
  });

  it('of any text has one length: a malformed secret is only a wrong one', () => {
    for (const text of ['', 'x'.repeat(100_000), '\0', '\ud800', '🔑']) {
      expect(digestOf('attempt', text)).toHaveLength(DIGEST_LENGTH);
    }
  });

  it('is the same as another only when all of it is', () => {
    const one = digestOf('attempt', 'one');
    expect(sameDigest(one, digestOf('attempt', 'one'))).toBe(true);
    expect(sameDigest(one, digestOf('attempt', 'two'))).toBe(false);
    expect(sameDigest(one, `${one.slice(0, -1)}${one.endsWith('A') ? 'B' : 'A'}` as Digest)).toBe(
      false,
    );
  });

  it('that stands for none is as long as the others, and no secret has it', () => {
    expect(NO_DIGEST).toHaveLength(DIGEST_LENGTH);
    expect(sameDigest(NO_DIGEST, digestOf('attempt', ''))).toBe(false);
  });

  it('is read from a row only where it can be one', () => {
    const digest = digestOf('attempt', 'value');
    expect(parseDigest(digest)).toBe(digest);
    for (const text of ['', digest.slice(1), `${digest}A`, `${digest.slice(1)}+`, `${digest}\n`]) {
      expect(parseDigest(text)).toBeNull();
    }
  });
});

describe('a keyed digest', () => {
  it('is HMAC-SHA-256 over parts with their lengths before them', () => {
    const expected = createHmac('sha256', KEY).update('5:label2:ab0:').digest();
    expect(keyedDigest(KEY, 'label', 'ab', '')).toEqual(expected);
    expect(keyedDigestText(KEY, 'label', 'ab', '')).toBe(expected.toString('base64url'));
  });

  it('keeps apart what joins to the same text', () => {
    const lists = [['ab', 'c'], ['a', 'bc'], ['abc'], ['abc', ''], ['', 'abc'], ['a1:b', 'c']];
    const digests = lists.map((parts) => keyedDigestText(KEY, 'label', ...parts));
    expect(new Set(digests).size).toBe(lists.length);
  });

  it('differs by key and by label', () => {
    const digests = [
      keyedDigestText(KEY, 'one', 'x'),
      keyedDigestText(KEY, 'two', 'x'),
      keyedDigestText(Buffer.from('another key'), 'one', 'x'),
    ];
    expect(new Set(digests).size).toBe(3);
  });

  it('counts bytes, not characters', () => {
    const expected = createHmac('sha256', KEY).update('1:l4:🔑').digest('base64url');
    expect(keyedDigestText(KEY, 'l', '🔑')).toBe(expected);
  });
});

describe('the secrets that digests are of', () => {
  it('an attempt token has 64 characters for its 48 bytes', () => {
    const token = makeAttemptToken(new Uint8Array(48).fill(0xfb)).reveal();
    expect(token).toMatch(/^[\w-]{64}$/);
    expect(token).toHaveLength(ATTEMPT_TOKEN_LENGTH);
    // A command would take it for an option.
    expect(token).not.toMatch(/^-/);
  });

  it('a completion code has 43 characters for its 256 bits', () => {
    expect(makeCompletionCode(new Uint8Array(32)).reveal()).toBe('A'.repeat(43));
  });
});
