import { expect, it } from 'vitest';
import { faultWords, sqlStateWords, wordsOf } from './fault-words.ts';
import { Refusal } from './refusal.ts';

const fault = (message: string, more: object) => Object.assign(new Error(message), more);

it.each([
  [
    'EACCES, open',
    { code: 'EACCES', path: '/data/x' },
    /^\/data\/x: this user may not .*\(EACCES\): run this/,
  ],
  [
    'ENOSPC, write',
    { code: 'ENOSPC', path: '/data/x' },
    /^\/data\/x: there is no space .*\(ENOSPC\): free/,
  ],
  ['ENOSPC, write', { code: 'ENOSPC' }, /^ENOSPC, write: free some space on the disk of DATA_DIR/],
  ['its own words', { code: 'EACCES' }, /^its own words$/],
  ['unknown', { code: 'EWEIRD', path: '/data/x' }, /^unknown$/],
  ['database or disk is full', { errcode: 13 }, /^database or disk is full: free some space/],
  [
    'file is not a database',
    { errcode: 26 },
    /^file is not a database: leave it .*restore a backup/,
  ],
  ['unable to open database file', { errcode: 14 + 256 }, /^unable to open .*: see who may/],
])('%s: has words for what a person can mend', (message, more, said) => {
  expect(wordsOf(fault(message, more))).toMatch(said);
});

it('a refusal of the store says the reason beside its code, and any other nothing that was sent', () => {
  expect(wordsOf(new Refusal('storage.unavailable', { reason: 'PostgreSQL error 42501' }))).toBe(
    'storage.unavailable: PostgreSQL error 42501',
  );
  const cause = fault('attempt to write a readonly database', { errcode: 8 });
  expect(wordsOf(new Refusal('storage.outcome_unknown', { cause }))).toMatch(
    /^storage\.outcome_unknown: attempt to write a readonly database: see who may write/,
  );
  expect(faultWords(new Refusal('attempt.not_found', { cause: new Error('sent') }))).toEqual({
    what: 'attempt.not_found',
    remedy: null,
  });
  expect(wordsOf('a text')).toBe('a text');
});

it('knows the words of PostgreSQL only for what an operator can mend', () => {
  expect(sqlStateWords('57014')).toMatch(/took too long/);
  expect(sqlStateWords('42601')).toBeNull();
});
