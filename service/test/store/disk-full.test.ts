import { expect, test } from 'vitest';
import type { AttemptRecord } from '../../src/domain/attempt.ts';
import { Refusal } from '../../src/domain/errors/refusal.ts';
import type { Store } from '../../src/ports/store.ts';
import { sampleAttempt, START } from '../conformance/samples.ts';
import { openSqlite } from './open-stores.ts';

/** Room for the empty tables and a few hundred attempts. */
const MAX_PAGES = 60;
const EVERYTHING = { expiredBefore: START * 2, redeemedBefore: START * 2, limit: 10_000 };

/** Writes until the store refuses, and gives what it had acknowledged by then. */
async function fill(store: Store): Promise<{ kept: AttemptRecord[]; refusal: unknown }> {
  const kept: AttemptRecord[] = [];
  for (;;) {
    const attempt = sampleAttempt();
    const refusal: unknown = await store.insertAttempt(attempt).then(
      () => null,
      (error: unknown) => error,
    );
    if (refusal !== null) return { kept, refusal };
    kept.push(attempt);
  }
}

test('S-4: a full disk refuses writes, keeps what it has, and works again with space', async () => {
  const { store, dispose } = await openSqlite({ maxPages: MAX_PAGES });
  const { kept, refusal } = await fill(store);
  expect(refusal).toBeInstanceOf(Refusal);
  expect(refusal).toMatchObject({ code: 'storage.unavailable' });
  expect(kept.length).toBeGreaterThan(0);
  expect(store.health()).toEqual({ ready: true });
  for (const attempt of kept) {
    expect((await store.findAttempt(attempt.attemptId))?.attempt).toEqual(attempt);
  }
  expect((await store.purge(EVERYTHING)).attempts).toBe(kept.length);
  const again = await fill(store);
  expect(again.kept.length).toBeGreaterThan(kept.length / 2);
  await dispose();
});
