import { expect, test } from 'vitest';
import { START } from '../../conformance/samples.ts';
import { plannedRounds } from '../../support/differential/plans.ts';
import { playRounds } from '../../support/differential/rounds.ts';
import { ask, migratedDatabase } from '../../support/postgres/databases.ts';
import { openInstance } from '../../support/postgres/instances.ts';
import { lendDatabase } from '../../support/postgres/lent-databases.ts';

const TABLES = `SELECT relname AS name FROM pg_class
  WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'S') ORDER BY relname`;
const TRIGGERS = `SELECT tgname AS name, tgenabled AS state FROM pg_trigger ORDER BY tgname`;

test('a database that is given out again is as a new one', async () => {
  const first = await lendDatabase();
  const fresh = await contentOf(await migratedDatabase());
  const store = await openInstance(first.url);
  await store.bindTo({ mode: 'simulator', provider: null }, START);
  await playRounds(store, plannedRounds(1).slice(0, 8), 1);
  expect(await contentOf(first.url)).not.toEqual(fresh);
  await store.close();
  first.giveBack();
  const second = await lendDatabase();
  expect(second.url).toBe(first.url);
  expect(await contentOf(second.url)).toEqual(fresh);
  second.giveBack();
});

/**
 * Every row of every table, where each sequence is, and which triggers fire. Where the ids of users
 * come from is different in each database.
 */
async function contentOf(url: string): Promise<unknown> {
  const names = await ask<{ name: string }>(url, TABLES);
  const same = names.filter(({ name }) => name !== 'user_id_origin');
  const rows = same.map(async ({ name }) => [name, await ask(url, `SELECT * FROM ${name}`)]);
  return [await Promise.all(rows), await ask(url, TRIGGERS)];
}
