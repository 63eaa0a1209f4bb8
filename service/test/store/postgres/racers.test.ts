import { expect, test } from 'vitest';
import type { AttemptRecord } from '../../../src/attempt/attempt.ts';
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
import { authenticatedBy, raceForTokens, RACERS } from '../../support/differential/racers.ts';
import { ask, migratedDatabase } from '../../support/postgres/databases.ts';
import { openInstance } from '../../support/postgres/instances.ts';

const ATTEMPTS = 50;
const AT = START + 5;
const ROWS = { after: 0, limit: 100_000 };

/** Three instances on one database. */
const opened = share(async (atEnd) => {
  const url = await migratedDatabase(atEnd);
  const stores = await Promise.all([1, 2, 3].map(() => openInstance(url)));
  for (const store of stores) atEnd(() => store.close());
  return { url, stores };
});

function storeFor(racer: number): Store {
  const { stores } = opened();
  const store = stores[racer % stores.length];
  if (store === undefined) throw new Error('there are three');
  return store;
}

const everyRacer = Array.from({ length: RACERS }, (_, racer) => racer);

test(`S-15: of ${RACERS} racers over three instances one gets a token, ${ATTEMPTS} times`, async () => {
  expect((await raceForTokens(opened().stores, ATTEMPTS)).wrong).toEqual([]);
});

test(`S-14: ${RACERS} first logins of one person over three instances make one user`, async () => {
  const person = samplePerson();
  const logins = everyRacer.map(async (racer) => {
    const attempt = sampleAttempt();
    await storeFor(racer).insertAttempt(attempt);
    const login = await storeFor(racer + 1).authenticateAttempt(
      authentication(attempt, { person }),
    );
    return login?.user?.id;
  });
  const ids = new Set(await Promise.all(logins));
  expect(ids.size).toBe(1);
  expect(ids).not.toContain(undefined);
});

test.each(['client', 'service'] as const)(
  `S-50: ${RACERS} racers over three instances use up the budget of a %s and no more`,
  async (limited) => {
    const budget = { ...PUSH_BUDGET, [limited]: { quota: 7, lengthMs: 1000 } };
    // Each window begins after the pushes of other tests.
    const at = AT + (limited === 'client' ? 1_000_000 : 2_000_000);
    const admitted = everyRacer.map(async (racer) => {
      const attempt = sampleAttempt({ createdAt: at });
      await storeFor(racer).insertAttempt(attempt);
      const personDigest = digestNamed(`${limited} ${racer}`);
      const client = limited === 'client' ? 'limited' : `client ${racer}`;
      const { attemptId } = attempt;
      return storeFor(racer).admitPush({ attemptId, personDigest, client, at, budget });
    });
    const count = (await Promise.all(admitted)).filter((one) => one).length;
    expect(count).toBe(7);
  },
);

test('S-74: beside a revocation of all tokens no token comes out that counts', async () => {
  const attempts = await authenticatedMany();
  const [revoked, ...redeemed] = await Promise.all([
    storeFor(0).revokeAll(AT, 'all'),
    ...attempts.map((attempt, racer) => storeFor(racer).redeemAttempt(redemption(attempt))),
  ]);
  expect(revoked.tokens).toBeGreaterThanOrEqual(0);
  for (const [racer, { attemptId }] of attempts.entries()) {
    const found = await storeFor(racer + 1).findTokenOfAttempt(attemptId);
    expect(found?.token.tokenId).toBe(redeemed[racer]?.tokenId);
    if (found !== null) expect(found.token.revokedAt).toBe(AT);
  }
});

test('S-73: once a user is disabled, no instance gives them a token', async () => {
  const person = samplePerson();
  const attempts = await authenticatedMany(person);
  const user = await storeFor(0).findPerson(person);
  if (user === null) throw new Error('nobody has signed in');
  const disabled = storeFor(1).disableUser(user.id, AT);
  const late = disabled.then(() => redeemAll(attempts));
  const early = await redeemAll(attempts);
  expect((await late).filter((one) => one !== null)).toEqual([]);
  const found = await Promise.all(
    attempts.map(({ attemptId }) => storeFor(2).findTokenOfAttempt(attemptId)),
  );
  expect(found.filter((one) => one !== null)).toHaveLength(
    early.filter((one) => one !== null).length,
  );
});

test('S-22: each token is revoked once, when all instances revoke all in another order', async () => {
  const issued = await redeemAll(await authenticatedMany());
  const tokens = issued.filter((token) => token !== null);
  const orders = [
    tokens,
    tokens.toReversed(),
    tokens.toSorted((one) => one.tokenId.charCodeAt(30)),
  ];
  const revoked = orders.flatMap((order, racer) =>
    order.map((token) => storeFor(racer).revokeToken(token.tokenId, token, AT)),
  );
  expect((await Promise.all(revoked)).filter((one) => one)).toHaveLength(RACERS);
});

test('S-80, S-81: after all of it the log verifies, with a row for each change', async () => {
  const { url } = opened();
  expect(await storeFor(0).verifyAudit()).toMatchObject({ ok: true });
  const rows = await storeFor(0).readAudit(ROWS);
  expect(rows.map(({ sequence }) => sequence)).toEqual(rows.map((_, index) => index + 1));
  const [{ tokens } = { tokens: -1 }] = await ask<{ tokens: number }>(
    url,
    'SELECT count(*)::int AS tokens FROM api_tokens',
  );
  expect(rows.filter(({ action }) => action === 'token.issued')).toHaveLength(tokens);
});

test('no transaction of any instance was in a deadlock', async () => {
  const [found] = await ask<{ deadlocks: string }>(
    opened().url,
    'SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()',
  );
  expect(found?.deadlocks).toBe('0');
});

function authenticatedMany(person?: ReturnType<typeof samplePerson>): Promise<AttemptRecord[]> {
  return Promise.all(everyRacer.map((racer) => authenticatedBy(storeFor(racer), person)));
}

function redeemAll(attempts: readonly AttemptRecord[]) {
  return Promise.all(
    attempts.map((attempt, racer) => storeFor(racer).redeemAttempt(redemption(attempt))),
  );
}
