import { expect, it } from 'vitest';
import { readKeptHead, writeKeptHead, type KeptHead } from './audit-head.ts';
import type { Digest } from '../values/secret.ts';

const [KEY, NEXT] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
const HEAD: KeptHead = {
  count: 12,
  hash: 'h'.repeat(43) as Digest,
  at: 1_800_000_000_000,
  lastUserId: 41,
};
const TEXT = writeKeptHead(KEY, HEAD);

it('is read as it was written, under any of the keys', () => {
  expect(readKeptHead([NEXT, KEY], TEXT)).toEqual(HEAD);
  expect(TEXT).toContain(' 2027-01-15T08:00:00+00:00,users=41,');
});

it('is read without the highest user id, as an earlier version has written it', () => {
  const earlier = TEXT.replace(/,users=.*\n$/, '\n');
  expect(earlier).toMatch(/ 2027-01-15T08:00:00\+00:00\n$/);
  expect(readKeptHead([KEY], earlier)).toEqual({ ...HEAD, lastUserId: null });
  expect(writeKeptHead(KEY, { ...HEAD, lastUserId: null })).toBe(earlier);
});

it('is read by an earlier version, which knows nothing of user ids', () => {
  expect(TEXT).toMatch(/^miftah-audit-head 1 \d{1,15} \S{43} \d{1,15} \S{43} \S+\n$/);
});

it.each([
  ['under no known key', [NEXT], TEXT],
  ['with another number', [KEY], TEXT.replace(' 12 ', ' 11 ')],
  ['with another hash', [KEY], TEXT.replace('hhh', 'hhi')],
  ['with another time', [KEY], TEXT.replace('1800000000000', '1800000000001')],
  ['with another user id', [KEY], TEXT.replace('users=41', 'users=40')],
  ['without its proof', [KEY], TEXT.replace(/ \S{43} (\S+)\n$/, ' $1\n')],
  ['cut off', [KEY], TEXT.slice(0, -1)],
  ['with something before it', [KEY], `${TEXT}${TEXT}`],
  ['empty', [KEY], ''],
])('is nothing %s', (_, keys, text) => {
  expect(readKeptHead(keys, text)).toBeNull();
});
