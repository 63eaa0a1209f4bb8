import { escapeIdentifier } from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { DAY_MS } from '../../../src/values/time.ts';
import { sampleAttempt, START } from '../../conformance/samples.ts';
import { ask, migratedDatabase } from '../../support/postgres/databases.ts';
import { openInstance } from '../../support/postgres/instances.ts';
import { postgresStores } from '../../support/postgres/store.ts';

test('instances purge at the same time, and each row is counted once', async () => {
  const { store, dispose } = await postgresStores(3, onTestFinished)();
  await using _ = { [Symbol.asyncDispose]: dispose };
  await Promise.all(Array.from({ length: 60 }, () => store.insertAttempt(sampleAttempt())));
  const later = START + DAY_MS;
  const bounds = { expiredBefore: later, redeemedBefore: later, limit: 30 };
  const counts = await Promise.all([1, 2, 3].map(() => store.purge(bounds)));
  const rest = await store.purge(bounds);
  const sum = [...counts, rest].reduce((total, { attempts }) => total + attempts, 0);
  expect(sum).toBe(60);
  expect(await store.purge(bounds)).toMatchObject({ attempts: 0 });
});

// PostgreSQL chooses such a plan by itself when its statistics say that there are few rows.
test('a plan that runs a subquery again for each row removes no more than the limit', async () => {
  const url = await migratedDatabase();
  const database = escapeIdentifier(new URL(url).pathname.slice(1));
  for (const method of ['hashagg', 'hashjoin', 'mergejoin', 'sort', 'material']) {
    await ask(url, `ALTER DATABASE ${database} SET enable_${method} = off`);
  }
  const store = await openInstance(url);
  await using _ = { [Symbol.asyncDispose]: () => store.close() };
  for (let count = 0; count < 5; count += 1) await store.insertAttempt(sampleAttempt());
  await ask(url, 'ANALYZE');
  const later = START + DAY_MS;
  const removed: number[] = [];
  for (let call = 0; call < 3; call += 1) {
    const bounds = { expiredBefore: later, redeemedBefore: later, limit: 2 };
    removed.push((await store.purge(bounds)).attempts);
  }
  expect(removed).toEqual([2, 2, 1]);
});
