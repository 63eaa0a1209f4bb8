import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { emptyDatabase } from '../support/postgres/databases.ts';
import { openClient } from '../support/postgres/connection.ts';
import type { ApiClient } from '../support/programs/api-client.ts';
import { clientForTest } from '../support/programs/for-test.ts';
import { openListening } from '../support/service/listening-service.ts';

const SECRET_KEY = 'ab'.repeat(32);
const SOON = { interval: 200 };

const STALLED = { status: 503, failed: [{ check: 'store.stalled' }] };
const READY = { status: 200 };

async function readiness(client: ApiClient) {
  const { status, json } = await client.send('GET', '/readyz');
  const { failed = [] } = json as { failed?: readonly { check: string; remedy: string }[] };
  return { status, failed };
}

/** @returns the status of the first answer that is no success */
async function signIn(client: ApiClient): Promise<number> {
  const started = await client.post('/start', { national_id: '1000001101', locale: 'en' });
  if (started.status !== 200) return started.status;
  const { attempt_id } = (started.json as { data: { attempt_id: string } }).data;
  return (await client.post('/complete-mfa', { attempt_id })).status;
}

/** @returns each status of the readiness that was seen before the end of `work`, and its result */
async function statusesUntil(client: ApiClient, work: Promise<number>) {
  const seen = new Set<number>();
  let result: number | null = null;
  void work.then((status) => (result = status));
  const look = async () => {
    seen.add((await readiness(client)).status);
    return result;
  };
  await expect.poll(look, SOON).not.toBe(null);
  return [[...seen], result];
}

/** Not ready as soon as a sign-in was refused, for as long as the lock is held, and ready after it. */
async function meets(client: ApiClient, release: () => unknown) {
  expect(await readiness(client)).toMatchObject(READY);
  expect(await signIn(client)).toBe(503);
  const late = await readiness(client);
  expect(late).toMatchObject(STALLED);
  expect(late.failed[0]?.remedy).toContain('who holds a lock');
  // Whatever the service tries meanwhile, nothing can be written.
  expect(await statusesUntil(client, signIn(client))).toEqual([[503], 503]);
  await release();
  // Nobody sends it anything meanwhile.
  await expect.poll(() => readiness(client), SOON).toMatchObject(READY);
  expect(await signIn(client)).toBe(200);
}

test.each([
  ['a table', 'LOCK TABLE attempts IN ACCESS EXCLUSIVE MODE'],
  ['the end of the audit log', 'SELECT 1 FROM audit_head FOR UPDATE'],
])(
  'threat 106: while somebody holds %s of the database, the service is not ready',
  async (_, lock) => {
    const DATABASE_URL = await emptyDatabase();
    const service = await openListening({ settings: { DATABASE_URL, SECRET_KEY } });
    const holder = await openClient(DATABASE_URL);
    onTestFinished(() => holder.end());
    await holder.query('BEGIN');
    await holder.query(lock);
    await meets(clientForTest(service), async () => {
      await holder.query('ROLLBACK');
    });
  },
);

test('threat 106: while another program holds the file of the store, the service is not ready', async () => {
  const service = await openListening();
  const holder = new DatabaseSync(join(service.dataDir, 'miftah.db'));
  onTestFinished(() => holder.close());
  holder.exec('BEGIN IMMEDIATE');
  await meets(clientForTest(service), () => holder.exec('ROLLBACK'));
});
