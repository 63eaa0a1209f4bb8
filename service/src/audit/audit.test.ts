import { expect, it } from 'vitest';
import { textOfActor } from './act.ts';
import { auditHash, hashedValues, type AuditRow } from './audit.ts';
import { parseAttemptId } from '../values/ids.ts';
import { NO_DIGEST, type Digest } from '../values/secret.ts';
import { parseUserId } from '../account/user.ts';

const ROW: Omit<AuditRow, 'hash'> = {
  sequence: 7,
  at: 1_800_000_000_000,
  action: 'token.issued',
  attemptId: parseAttemptId('0198c5e1-7d4a-7cc3-98c4-dc0c0c07398f'),
  userId: parseUserId(3),
  client: 'shop',
  personDigest: 'p'.repeat(43) as Digest,
  detail: 'live',
  count: 2,
  previous: NO_DIGEST,
  actor: null,
  reason: null,
};

const KEY = Buffer.alloc(32, 1);
const ACTOR = textOfActor({ kind: 'operator', subject: 'x' });

it('hashes the same row as earlier versions did, so that their logs still verify', () => {
  const hash = auditHash(KEY, hashedValues(ROW));
  expect(hash).toBe('XVfPO4Sg4FQ03C1y-75L9gI1ouLqjHAGh4nLEW3VxqY');
});

it('hashes every value of a row but its own hash, once', () => {
  const row = { ...ROW, actor: ACTOR, reason: 'a reason' };
  const values = hashedValues(row);
  expect(values).toHaveLength(Object.keys(row).length);
  expect(new Set(values)).toEqual(new Set(Object.values(row)));
});

it('gives another hash wherever a text stands, and where it is empty', () => {
  const acts = [
    { actor: null, reason: null },
    { actor: ACTOR, reason: null },
    { actor: null, reason: ACTOR },
    { actor: ACTOR, reason: '' },
    { actor: null, reason: '' },
    { actor: ACTOR, reason: ACTOR },
    { actor: null, reason: null, client: ACTOR },
    { actor: null, reason: `t${ACTOR}` },
  ];
  const hashes = acts.map((act) => auditHash(KEY, hashedValues({ ...ROW, ...act })));
  expect(new Set(hashes).size).toBe(acts.length);
});
