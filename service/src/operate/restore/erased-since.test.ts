import { describe, expect, test } from 'vitest';
import { NO_DIGEST } from '../../values/secret.ts';
import { createMemoryStore } from '../../store/index.ts';
import { erasedSince } from './erased-since.ts';

/** They are asked for only where an erasure is known of. */
const NOBODY_KNOWS = { [Symbol.asyncIterator]: () => expect.fail('asked for users') };

const AT = Date.UTC(2026, 0, 31);

describe('who was erased since a backup is not known', () => {
  test('of a store with another history', async () => {
    const store = createMemoryStore();
    await store.recordEvent({ at: AT, action: 'service.started' });
    const head = { ...(await store.auditHead()), hash: NO_DIGEST };
    expect(await erasedSince(store, { head, users: NOBODY_KNOWS })).toBeNull();
  });

  test('of a store that was cut since', async () => {
    const store = createMemoryStore();
    await store.recordEvent({ at: AT, action: 'service.started' });
    const head = await store.auditHead();
    for (const at of [AT + 1, AT + 2]) await store.recordEvent({ at, action: 'service.stopped' });
    await store.cutAudit({ before: AT + 2, limit: 9, at: AT + 3 });
    expect(await erasedSince(store, { head, users: NOBODY_KNOWS })).toBeNull();
  });
});

test('nobody was erased while no row of the log says so, whoever is missing', async () => {
  const store = createMemoryStore();
  const head = await store.auditHead();
  await store.recordEvent({ at: AT, action: 'service.started' });
  expect(await erasedSince(store, { head, users: NOBODY_KNOWS })).toEqual([]);
});
