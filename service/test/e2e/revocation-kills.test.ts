import { expect, onTestFinished, test } from 'vitest';
import {
  activeSince,
  spawnRevokeAll,
  withManyTokens,
  type ManyTokens,
} from '../support/faults/many-tokens.ts';
import { emptyDatabase } from '../support/postgres/databases.ts';
import { until } from '../support/programs/until.ts';

/** Twenty transactions of the command, so that a kill comes between two of them. */
const TOKENS = 40_000;
const SEEN_PAUSE_MS = 1;
/** What the audit log says of the tokens that such commands have ended. */
const COUNTED = `SELECT coalesce(sum(count), 0) AS count FROM audit_log
  WHERE action = 'tokens.revoked_all'`;
const REVOKED = 'SELECT count(*) AS count FROM api_tokens WHERE revoked_at IS NOT NULL';

const STORES = [
  ['with a file', () => Promise.resolve(null)],
  ['on PostgreSQL', () => emptyDatabase()],
] as const;

test.each(STORES)('a killed `revoke --all` is run again, twice at once, %s', async (_, open) => {
  const store = await withManyTokens(await open(), TOKENS);
  onTestFinished(async () => void (await store.service.kill()));
  const before = Date.now();
  const all = await store.book(activeSince(before));

  await killInTheMiddle(store, before, all);
  const left = await store.book(activeSince(before));
  expect(left).toBeGreaterThan(0);
  expect(await store.book(COUNTED)).toBe(all - left);

  const both = [spawnRevokeAll(store.settings), spawnRevokeAll(store.settings)];
  const exits = await Promise.all(both.map(({ ended }) => ended));
  expect(exits).toEqual([0, 0].map((code) => ({ code, err: '' })));
  expect(await store.book(activeSince(before))).toBe(0);
  expect(await store.book(COUNTED)).toBe(await store.book(REVOKED));
});

async function killInTheMiddle({ book, settings }: ManyTokens, before: number, all: number) {
  const { child, ended } = spawnRevokeAll(settings);
  await until(async () => (await book(activeSince(before))) < all, SEEN_PAUSE_MS);
  child.kill('SIGKILL');
  expect(await ended).toMatchObject({ code: null });
}
