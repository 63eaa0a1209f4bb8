import process from 'node:process';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../support/at-end.ts';
import { ask } from '../support/postgres/databases.ts';
import { PostgresPair } from '../support/postgres/pair.ts';
import { startPostgres } from '../support/postgres/server.ts';
import type { ApiClient } from '../support/programs/api-client.ts';
import {
  clientForTest,
  spawnServiceForTest,
  startServiceForTest,
} from '../support/programs/for-test.ts';
import { runMiftah } from '../support/programs/operator.ts';
import type { ServiceProcess } from '../support/programs/service-process.ts';

const SECRET_KEY = 'ab'.repeat(32);
const SOON = { interval: 50 };
const SESSIONS = `SELECT pid FROM pg_stat_activity
  WHERE datname = current_database() AND application_name LIKE 'miftah %'`;

async function signIn(client: ApiClient): Promise<string> {
  const started = await client.start({ national_id: '1000001101', locale: 'en' });
  await client.post('/complete-mfa', { attempt_id: started.attempt_id });
  return (await client.token(started)).token;
}

async function statusOfToken(client: ApiClient, token: string): Promise<number> {
  return (await client.get('/user', { authorization: `Bearer ${token}` })).status;
}

function restore(url: string) {
  const name = new URL(url).pathname.slice(1);
  const settings = { DATABASE_URL: url, SECRET_KEY, DATA_DIR: temporaryFolder('command') };
  return runMiftah(['restore', '--database', name], settings);
}

/**
 * A process that goes on may write nothing, neither for a request that was sent while it stood still
 * nor for a later one, and is told of its end.
 */
async function endsWhenItGoesOn(service: ServiceProcess, client: ApiClient): Promise<void> {
  const early = outcomeOf(client);
  service.signal('SIGCONT');
  expect(await early).toBe('refused');
  while (service.isRunning) expect(await outcomeOf(client)).toBe('refused');
  expect((await service.exited).code).toBe(1);
  expect(service.stdout() + service.stderr()).toContain('has run while this instance was cut off');
}

function outcomeOf(client: ApiClient): Promise<string> {
  return signIn(client).then(
    () => 'signed in',
    () => 'refused',
  );
}

test('threat 105: after a crash of the database nobody is overlooked who uses it', async () => {
  const server = await startPostgres({ isDurable: true });
  onTestFinished(() => server.close());
  const settings = { DATABASE_URL: server.url, SECRET_KEY };
  const instances = [
    await startServiceForTest({ settings }),
    await startServiceForTest({ settings }),
  ];
  const clients = instances.map(clientForTest);
  const token = await signIn(clients[0] as ApiClient);
  const [backend] = await ask<{ pid: number }>(server.url, SESSIONS);
  process.kill(backend?.pid ?? 0, 'SIGKILL');
  const [said, strict] = await Promise.all([
    (async () => {
      // The server takes no connections for a moment.
      await expect.poll(() => ask(server.url, 'SELECT 1').catch(() => null), SOON).not.toBe(null);
      return restore(server.url);
    })(),
    spawnServiceForTest({ settings: { ...settings, STRICT: 'yes', ALLOWED_HOSTS: 'localhost' } }),
  ]);
  expect(said).toMatchObject({ code: 1, out: '' });
  for (const { port } of instances) expect(said.err).toContain(`:${port} `);
  expect((await strict.refused()).code).toBe(1);
  for (const client of clients) expect(await statusOfToken(client, token)).toBe(200);
});

test('threat 105: an instance that is frozen counts as there, and writes nothing after a command', async () => {
  const server = await startPostgres({ isDurable: true });
  onTestFinished(() => server.close());
  const service = await startServiceForTest({
    settings: { DATABASE_URL: server.url, SECRET_KEY },
  });
  const client = clientForTest(service);
  const token = await signIn(client);
  service.signal('SIGSTOP');
  const early = await restore(server.url);
  expect(early).toMatchObject({ code: 1, out: '' });
  expect(early.err).toContain('pg_terminate_backend');
  await ask(server.url, `SELECT pg_terminate_backend(pid) FROM (${SESSIONS}) AS session`);
  expect(await restore(server.url)).toMatchObject({ code: 0 });
  await endsWhenItGoesOn(service, client);
  const again = clientForTest(
    await startServiceForTest({ settings: { DATABASE_URL: server.url, SECRET_KEY } }),
  );
  expect(await statusOfToken(again, token)).toBe(401);
});

test('threat 105: on a promoted standby, where nobody holds a lock yet, who comes back is refused', async () => {
  const pair = await PostgresPair.start(true);
  onTestFinished(() => pair.close());
  await pair.setSynchronous(true);
  const service = await startServiceForTest({ settings: { DATABASE_URL: pair.url, SECRET_KEY } });
  const client = clientForTest(service);
  await signIn(client);
  service.signal('SIGSTOP');
  await pair.primary.kill();
  await pair.promote();
  await expect
    .poll(() => ask(pair.primary.url, 'SELECT pg_is_in_recovery() AS is'), SOON)
    .toEqual([{ is: false }]);
  await ask(pair.primary.url, `ALTER SYSTEM SET synchronous_standby_names = ''`);
  await ask(pair.primary.url, 'SELECT pg_reload_conf()');
  expect(await restore(pair.primary.url)).toMatchObject({ code: 0 });
  await endsWhenItGoesOn(service, client);
});
