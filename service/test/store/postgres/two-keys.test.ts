import { expect, test } from 'vitest';
import { PUSH_BUDGET } from '../../../src/attempt/start/push-budget.ts';
import type { Store } from '../../../src/store/ports/store.port.ts';
import {
  authentication,
  digestNamed,
  redemption,
  sampleAttempt,
  samplePerson,
  START,
} from '../../conformance/samples.ts';
import { share } from '../../support/at-end.ts';
import { ask, migratedDatabase } from '../../support/postgres/databases.ts';
import { openInstance } from '../../support/postgres/instances.ts';
import { testVault } from '../../support/store/open-stores.ts';

/** While a key is changed, instances write with the old key and with the new one. */
const [OLD, NEW] = [1, 2] as const;
const LOGINS = 96;
const ROWS = { after: 0, limit: 10_000 };

const opened = share(async (atEnd) => {
  const url = await migratedDatabase(atEnd);
  const vaults = [testVault(OLD, NEW), testVault(NEW, OLD), testVault(NEW, OLD)];
  const keys = [OLD, NEW, NEW].map((key) => Buffer.alloc(32, key));
  const stores = await Promise.all(
    vaults.map((vault, index) =>
      openInstance(url, {
        vault,
        auditKeys: () => [keys[index] ?? Buffer.alloc(0), ...keys],
      }),
    ),
  );
  for (const store of stores) atEnd(() => store.close());
  return { url, stores };
});

function storeOf(turn: number): Store {
  const { stores } = opened();
  return stores[turn % stores.length] ?? expect.unreachable('there are three');
}

test(`S-14: ${LOGINS} first logins of one person, with either key, make one user`, async () => {
  const person = samplePerson();
  const logins = Array.from({ length: LOGINS }, async (_, turn) => {
    const attempt = sampleAttempt();
    await storeOf(turn).insertAttempt(attempt);
    const login = await storeOf(turn + 1).authenticateAttempt(authentication(attempt, { person }));
    return login?.user?.id;
  });
  const ids = new Set(await Promise.all(logins));
  expect(ids.size).toBe(1);
  expect(ids).not.toContain(undefined);
  for (const store of opened().stores) {
    expect((await store.findPerson(person))?.arabicName).toBe(person.arabicName);
  }
  const [users] = await ask<{ count: number }>(opened().url, 'SELECT count(*)::int FROM users');
  expect(users?.count).toBe(1);
});

test('the audit log that both keys wrote verifies with both, at either instance', async () => {
  const before = await storeOf(0).readAudit(ROWS);
  expect(before.length).toBeGreaterThan(LOGINS / 2);
  for (const store of opened().stores) {
    expect(await store.verifyAudit()).toMatchObject({ ok: true });
    expect(await store.canVerifyAudit()).toBe(true);
  }
});

test('S-85: a token that is valid again, and a user who is enabled again, are missed', async () => {
  const { url } = opened();
  const [attempt, store] = [sampleAttempt(), storeOf(0)];
  await store.insertAttempt(attempt);
  const login = await storeOf(1).authenticateAttempt(authentication(attempt));
  const userId = login?.user?.id ?? expect.unreachable('the login was refused');
  await storeOf(2).redeemAttempt(redemption(attempt));
  const miss = async (change: string, undo: string, wanted: object) => {
    expect(await store.verifyAudit()).toMatchObject({ ok: true });
    await ask(url, undo);
    expect(await store.verifyAudit()).toMatchObject({ ok: false, fault: 'undone', fact: wanted });
    await ask(url, change);
  };
  await storeOf(1).revokeAll(START + 9, { userId });
  const revoke = `UPDATE api_tokens SET revoked_at = ${START + 9}`;
  const valid = 'UPDATE api_tokens SET revoked_at = NULL';
  await miss(revoke, valid, { kind: 'token', action: 'tokens.revoked_all' });
  await storeOf(2).disableUser(userId, START + 10);
  const disable = `UPDATE users SET disabled_at = ${START + 10} WHERE id = ${userId}`;
  const enable = 'UPDATE users SET disabled_at = NULL';
  await miss(disable, enable, { kind: 'user', id: String(userId), action: 'user.disabled' });
});

test('S-87: instances under both keys that cut the same front at once remove it once', async () => {
  const [store] = opened().stores;
  const last = (await store?.auditHead())?.count ?? 0;
  const cut = { before: START * 2, limit: last - 10, at: START };
  const cuts = await Promise.all(opened().stores.map((one) => one.cutAudit(cut)));
  // One may come after another has cut, and cut what is left.
  const removed = cuts.reduce((sum, count) => sum + count, 0);
  expect(removed).toBeGreaterThanOrEqual(last - 10);
  const [first] = await storeOf(0).readAudit({ after: 0, limit: 1 });
  expect(first?.sequence).toBe(removed + 1);
  expect(await storeOf(0).verifyAudit()).toMatchObject({ ok: true });
});

test('S-54: one person gets their budget once, whichever key counts', async () => {
  const digests = [digestNamed('under the old key'), digestNamed('under the new key')] as const;
  const budget = { ...PUSH_BUDGET, coolDownMs: 0 };
  const wishes = Array.from({ length: 30 }, (_, turn) => {
    const isOld = turn % 3 === 0;
    const [personDigest, other] = isOld ? digests : digests.toReversed();
    if (personDigest === undefined || other === undefined) throw new Error('there are two');
    const { attemptId } = sampleAttempt();
    const wish = { attemptId, personDigest, otherDigests: [other], client: 'app', at: START };
    return storeOf(turn).admitPush({ ...wish, budget });
  });
  expect((await Promise.all(wishes)).filter((isAdmitted) => isAdmitted)).toHaveLength(3);
});
