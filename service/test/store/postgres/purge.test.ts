import { expect, onTestFinished, test } from 'vitest';
import { DAY_MS } from '../../../src/domain/time.ts';
import { sampleAttempt, START } from '../../conformance/samples.ts';
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
