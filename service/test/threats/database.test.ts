import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { temporaryFolder } from '../support/at-end.ts';
import { ask, emptyDatabase } from '../support/postgres/databases.ts';
import type { ApiClient } from '../support/programs/api-client.ts';
import { clientForTest } from '../support/programs/for-test.ts';
import { runMiftah } from '../support/programs/operator.ts';
import { openListening, refusedStart } from '../support/service/listening-service.ts';
import { WAIT_MS } from '../support/wait-ms.ts';

const SECRET_KEY = 'ab'.repeat(32);
const PERSON = '1000001101';
const PASSWORD = 'never-shown-5f2c';
const SOON = { timeout: WAIT_MS, interval: 20 };

/** What a start is answered, once the service listens and has looked at the database. */
async function startWhenLooked(client: ApiClient, reason: RegExp) {
  await vi.waitFor(() => client.send('GET', '/livez'), SOON);
  const answer = await client.post('/start', { national_id: PERSON, locale: 'en' });
  expect(String((await client.send('GET', '/readyz')).status)).toMatch(reason);
  return answer;
}

async function hasTables(url: string): Promise<boolean> {
  const tables = "SELECT 1 FROM pg_class WHERE relname IN ('attempts', 'schema_migrations')";
  return (await ask(url, tables)).length > 0;
}

test.each(['{"systemIdentifier":null,"timeline":99}', '{"systemIdentifier":"1","timeline":1}'])(
  'threat 72: a server that is not the known one is given nothing: %s',
  async (identity) => {
    const url = await emptyDatabase();
    const folder = temporaryFolder('database');
    writeFileSync(join(folder, 'postgres-server.json'), identity, { mode: 0o600 });
    const settings = { DATABASE_URL: url, SECRET_KEY, DATA_DIR: folder };
    const client = clientForTest(await openListening({ settings }));
    const { status, json } = await startWhenLooked(client, /503/);
    expect([status, json]).toMatchObject([503, { code: 'storage.unavailable' }]);
    expect(await hasTables(url)).toBe(false);
    expect((await runMiftah(['doctor'], settings)).out).toMatch(/^fault +store\.server/m);
  },
);

test('threat 73: the password of the database is in no output, answer or number', async () => {
  const url = new URL(await emptyDatabase());
  url.username = 'nobody_at_all';
  url.password = PASSWORD;
  const settings = {
    DATABASE_URL: url.href,
    SECRET_KEY,
    DATA_DIR: temporaryFolder('database'),
    LOG_LEVEL: 'debug',
  };
  const service = await openListening({ settings });
  const client = clientForTest(service);
  const refused = await startWhenLooked(client, /503/);
  const paths = ['/readyz', '/metrics'];
  const told = await Promise.all(paths.map((path) => client.send('GET', path)));
  const doctor = await runMiftah(['doctor'], settings);
  expect(doctor.out).toMatch(/^fault +store\.open/m);
  const audit = await runMiftah(['audit'], settings);
  const other = new URL(url);
  other.searchParams.set('sslmode', PASSWORD);
  const broken = await runMiftah(['audit'], { ...settings, DATABASE_URL: other.href });
  expect(broken.code).toBe(2);
  await service.stop();
  const output = [service.log(), JSON.stringify([refused, told])];
  const said = [doctor, audit, broken].flatMap(({ out, err }) => [out, err]);
  for (const text of [...output, ...said]) expect(text).not.toContain(PASSWORD);
});

test('threat 74: an error of the database that quotes a person is passed on to nobody', async () => {
  const url = await emptyDatabase();
  const settings = { DATABASE_URL: url, SECRET_KEY, LOG_LEVEL: 'debug' };
  const service = await openListening({ settings });
  await ask(url, 'ALTER TABLE attempts ADD CONSTRAINT nobody CHECK (national_id IS NULL)');
  // Its detail is the whole row.
  const answer = await clientForTest(service).post('/start', { national_id: PERSON, locale: 'en' });
  expect(answer.status).toBeGreaterThanOrEqual(500);
  await service.stop();
  const said = service.log();
  expect(said).toContain('StatementError');
  for (const text of [said, JSON.stringify(answer)]) {
    expect(text).not.toContain(PERSON);
    expect(text).not.toContain('Failing row');
  }
});

test('threat 75: no connection in the clear that nobody has asked for', async () => {
  const url = await emptyDatabase();
  const far = new URL(url);
  far.hostname = 'database.invalid';
  const settings = { DATABASE_URL: far.href, SECRET_KEY };
  expect(await refusedStart(settings)).toEqual({
    code: 2,
    said: expect.stringContaining('sslmode=verify-full') as string,
  });
  // The server of the tests has no TLS: it could be anybody.
  const safe = { ...settings, DATABASE_URL: `${url}?sslmode=verify-full` };
  const client = clientForTest(await openListening({ settings: safe }));
  expect((await startWhenLooked(client, /503/)).status).toBe(503);
  expect(await hasTables(url)).toBe(false);
});
