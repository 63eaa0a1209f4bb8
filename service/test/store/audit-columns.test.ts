import { expect, it } from 'vitest';
import { hashedValues, type NewAuditRow } from '../../src/audit/audit.ts';
import { parseUserId } from '../../src/account/user.ts';
import {
  auditFromRow,
  auditLinkFromRow,
  auditToRow,
  hashedIn,
} from '../../src/store/sql/audit-rows.ts';
import { ACT, digestNamed, sampleAttempt, START } from '../conformance/samples.ts';

/** Every value differs from the others, so that two columns in each other's place are found. */
const FULL: NewAuditRow = {
  at: START,
  action: 'token.issued',
  attemptId: sampleAttempt().attemptId,
  userId: parseUserId(3),
  client: 'shop',
  personDigest: digestNamed('person'),
  detail: 'live',
  count: 2,
};
const EMPTY: NewAuditRow = { at: START, action: 'service.started' };

const NOBODY = { actor: null, reason: null };

it.each([
  ['with every value', FULL, ACT],
  ['with an actor alone', FULL, { ...ACT, reason: null }],
  ['with a reason alone', FULL, { ...ACT, actor: null }],
  ['with no actor', FULL, NOBODY],
  ['with as few values as possible', EMPTY, NOBODY],
])('the columns of a row %s are hashed as its values are', (_, entry, act) => {
  const chain = { previous: digestNamed('previous'), hash: digestNamed('hash') };
  const stored = { sequence: 7, ...auditToRow(entry), ...chain, ...act };
  const values = hashedValues(auditFromRow(stored));
  expect(auditLinkFromRow(stored).values).toEqual(values);
  expect(hashedIn(stored)).toEqual(values);
});
