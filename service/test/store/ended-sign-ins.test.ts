import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { openSqliteStore } from '../../src/store/index.ts';
import { authentication, redemption, sampleAttempt, START } from '../conformance/samples.ts';
import { findDatabase } from '../../src/store/sqlite/data-directory.ts';
import { temporaryFolder } from '../support/at-end.ts';

test('S-79: what an earlier version authenticated after the end is not redeemed', async () => {
  const directory = temporaryFolder('ended-sign-ins');
  const store = await openSqliteStore({ directory, onPoisoned: () => undefined });
  const attempt = sampleAttempt();
  await store.insertAttempt(attempt);
  await store.authenticateAttempt(authentication(attempt));
  // An earlier version authenticates without looking at the column, so the order does not matter.
  const database = new DatabaseSync(findDatabase(directory));
  database.prepare('UPDATE users SET sign_ins_ended_at = ?').run(START);
  expect(await store.redeemAttempt(redemption(attempt))).toBeNull();
  database.prepare('UPDATE users SET sign_ins_ended_at = ?').run(START - 1);
  database.close();
  expect(await store.redeemAttempt(redemption(attempt))).not.toBeNull();
  await store.close();
});
