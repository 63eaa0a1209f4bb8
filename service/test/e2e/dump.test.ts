import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../support/at-end.ts';
import { ask, emptyDatabase } from '../support/postgres/databases.ts';
import { findDumpTools } from '../support/postgres/dump.ts';
import type { ApiClient, Issued, Started } from '../support/programs/api-client.ts';
import { clientForTest } from '../support/programs/for-test.ts';
import { runMiftah } from '../support/programs/operator.ts';
import { openListening, refusalOf } from '../support/service/listening-service.ts';

const SECRET_KEY = 'cd'.repeat(32);
const SIGNED_IN_BEFORE = 20;

interface SignedIn {
  readonly attempt: Started;
  readonly issued: Issued;
}

async function authenticated(client: ApiClient): Promise<Started> {
  const attempt = await client.start({ national_id: '1000001101', locale: 'en' });
  await client.post('/complete-mfa', { attempt_id: attempt.attempt_id });
  return attempt;
}

async function signIn(client: ApiClient): Promise<SignedIn> {
  const attempt = await authenticated(client);
  return { attempt, issued: await client.token(attempt) };
}

async function statusOfToken(client: ApiClient, { issued }: SignedIn): Promise<number> {
  return (await client.get('/user', { authorization: `Bearer ${issued.token}` })).status;
}

/** Signs in until it is told to stop. */
function signInOnAndOn(client: ApiClient) {
  const done: SignedIn[] = [];
  const stopping = new AbortController();
  const work = (async () => {
    while (!stopping.signal.aborted) done.push(await signIn(client));
  })();
  return {
    done,
    async stop() {
      stopping.abort();
      await work;
    },
  };
}

test('a pg_dump that was made under load is restored, and nothing of it is good', async () => {
  const tools = findDumpTools();
  if (tools === null) {
    console.warn('LEFT OUT: no pg_dump and pg_restore, so no dump of PostgreSQL was restored');
    return;
  }
  const folder = temporaryFolder('dump');
  const settings = {
    DATABASE_URL: await emptyDatabase(),
    DATA_DIR: folder,
    SECRET_KEY,
    AUDIT_HEAD_FILE: join(folder, 'audit-head'),
  };
  const service = await openListening({ settings });
  const client = clientForTest(service);
  const before: SignedIn[] = [];
  for (let count = 0; count < SIGNED_IN_BEFORE; count += 1) before.push(await signIn(client));
  const waiting = await authenticated(client);
  const pending = await client.start({ national_id: '1000001101', locale: 'en' });

  const loads = [1, 2, 3].map(() => signInOnAndOn(clientForTest(service)));
  const file = join(folder, 'store.dump');
  await tools.dump(settings.DATABASE_URL, file);
  for (const load of loads) await load.stop();
  const during = loads.flatMap(({ done }) => done);
  expect(during.length).toBeGreaterThan(0);
  await service.stop();

  const database = await emptyDatabase();
  await tools.restore(database, file);
  const dumped = await ask<{ count: number }>(
    database,
    'SELECT count(*)::int AS count FROM api_tokens WHERE revoked_at IS NULL',
  );
  expect(dumped[0]?.count).toBeGreaterThanOrEqual(SIGNED_IN_BEFORE);

  const restored = { ...settings, DATABASE_URL: database };
  // The log of the dump does not reach AUDIT_HEAD_FILE: nothing starts on it as it is.
  expect(await refusalOf(restored)).toContain('miftah restore --database');
  const name = new URL(database).pathname.slice(1);
  const said = await runMiftah(['restore', '--database', name], restored);
  expect(said).toMatchObject({ code: 0, err: '' });
  expect(said.out).toContain(`Ended ${dumped[0]?.count} tokens and`);

  const again = clientForTest(await openListening({ settings: restored }));
  const statuses = await Promise.all(
    [...before, ...during].map((signedIn) => statusOfToken(again, signedIn)),
  );
  expect(new Set(statuses)).toEqual(new Set([401]));
  for (const attempt of [waiting, pending, ...before.map((one) => one.attempt)]) {
    const redeem = { attempt_token: attempt.attempt_token };
    const { status } = await again.post(`/token/${attempt.attempt_id}`, redeem);
    expect(status).toBeGreaterThanOrEqual(400);
  }
  const completed = await again.post('/complete-mfa', { attempt_id: pending.attempt_id });
  expect(completed.status).toBeGreaterThanOrEqual(400);
  expect(await statusOfToken(again, await signIn(again))).toBe(200);
  expect((await runMiftah(['audit', '--verify'], restored)).code).toBe(0);
});
