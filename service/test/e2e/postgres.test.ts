import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { share, temporaryFolder } from '../support/at-end.ts';
import { raceAt, storedTokens } from '../support/faults/token-races.ts';
import { ask, emptyDatabase } from '../support/postgres/databases.ts';
import { startPostgres } from '../support/postgres/server.ts';
import type { ApiClient, Issued, Started } from '../support/programs/api-client.ts';
import { clientForTest, spawnServiceForTest } from '../support/programs/for-test.ts';
import { runMiftah } from '../support/programs/operator.ts';
import { startService, type ServiceProcess } from '../support/programs/service-process.ts';
import { openListening, refusalOf } from '../support/service/listening-service.ts';
import { WAIT_MS } from '../support/wait-ms.ts';

const SECRET_KEY = 'ab'.repeat(32);
/** Attempts that 64 callers want to redeem at the same time. */
const RACES = 8;
const AWAY = { timeout: WAIT_MS, interval: 20 };

function settingsFor(url: string) {
  return { DATABASE_URL: url, SECRET_KEY };
}

const openOn = (url: string) => openListening({ settings: settingsFor(url) });

function start(client: ApiClient): Promise<Started> {
  return client.start({ national_id: '1000001101', locale: 'en' });
}

async function complete(client: ApiClient, { attempt_id }: Started): Promise<void> {
  expect((await client.post('/complete-mfa', { attempt_id })).status).toBe(200);
}

async function login(client: ApiClient): Promise<Issued> {
  const attempt = await start(client);
  await complete(client, attempt);
  return client.token(attempt, { device_name: 'laptop' });
}

async function headFailures(client: ApiClient): Promise<string | undefined> {
  const { text } = await client.send('GET', '/metrics');
  return /^miftah_audit_head_failures_total\S* (\d+)$/m.exec(text)?.[1];
}

async function statusOfReadiness(client: ApiClient): Promise<number> {
  return (await client.send('GET', '/readyz')).status;
}

describe('three instances on one database', () => {
  /** They start at the same time on an empty database. */
  const instances = share(async (atEnd) => {
    const url = await emptyDatabase(atEnd);
    const starting = [1, 2, 3].map(() => startService({ settings: settingsFor(url) }));
    const services = await Promise.all(starting);
    atEnd(async () => void (await Promise.all(services.map((service) => service.kill()))));
    const started = services as [ServiceProcess, ServiceProcess, ServiceProcess];
    return { url, services: started };
  });

  test('share every attempt, from their first start on', async () => {
    const [one, two, three] = instances().services.map(clientForTest) as [
      ApiClient,
      ApiClient,
      ApiClient,
    ];
    const attempt = await start(one);
    await complete(two, attempt);
    const { token } = await three.token(attempt, { device_name: 'laptop' });
    const bearer = { authorization: `Bearer ${token}` };
    for (const client of [one, two, three]) {
      expect((await client.get('/user', bearer)).status).toBe(200);
    }
    expect((await one.remove('/token', bearer)).status).toBe(204);
    for (const client of [one, two, three]) {
      expect((await client.get('/user', bearer)).status).toBe(401);
    }
  });

  test('are told once what the server risks, by however many connections', () => {
    for (const service of instances().services) {
      expect(service.stdout().split('fsync or full_page_writes is off')).toHaveLength(2);
    }
  });

  test('one token for each attempt, whoever is asked at the same time', async () => {
    const before = await storedTokens(instances().url);
    const { violations, tokens } = await raceAt(instances().services, RACES);
    expect(violations).toEqual([]);
    const stored = (await storedTokens(instances().url)) - before;
    expect({ tokens, stored }).toEqual({ tokens: RACES, stored: RACES });
  });

  test('go on when one of them is killed', async () => {
    const [first, second] = instances().services;
    const attempt = await start(clientForTest(first));
    await first.kill();
    const client = clientForTest(second);
    await complete(client, attempt);
    expect((await client.token(attempt, { device_name: 'laptop' })).token).toMatch(/^mft_test_/);
  });
});

test('an instance with a file gives one token for each attempt too', async () => {
  const { violations, tokens } = await raceAt([await openListening()], RACES);
  expect(violations).toEqual([]);
  expect(tokens).toBe(RACES);
});

describe('a database that is away', () => {
  const server = share(async (atEnd) => {
    const started = await startPostgres({ isDurable: true });
    atEnd(() => started.close());
    return started;
  });

  test('at the start leaves the service up and not ready, and is used when it comes', async () => {
    await server().stop();
    const head = join(temporaryFolder('head'), 'head.json');
    const settings = { ...settingsFor(server().url), AUDIT_HEAD_FILE: head };
    const service = await spawnServiceForTest({ settings });
    const client = clientForTest(service);
    await vi.waitFor(() => client.send('GET', '/livez'), AWAY);
    expect(await statusOfReadiness(client)).toBe(503);
    const refused = await client.post('/start', { locale: 'en' });
    expect(refused.status).toBe(503);
    expect(refused.json).toMatchObject({ code: 'storage.unavailable' });
    expect(refused.headers['retry-after']).toBeDefined();
    await server().start();
    await service.ready();
    expect((await login(client)).token).toMatch(/^mft_test_/);
    expect(service.stdout() + service.stderr()).not.toContain(new URL(server().url).password);
    // An alarm says that the file can't be written: it was, and the database was no fault of it.
    expect(await headFailures(client)).toBe('0');
    await service.stop();
    expect(existsSync(head)).toBe(true);
  });

  test('later makes it not ready, and nothing that was acknowledged is lost', async () => {
    const client = clientForTest(await openOn(server().url));
    const { token } = await login(client);
    await server().kill();
    await vi.waitFor(async () => expect(await statusOfReadiness(client)).toBe(503), AWAY);
    const { json } = await client.send('GET', '/readyz');
    expect(json).toMatchObject({ failed: [{ check: 'store.away' }] });
    await server().start();
    await vi.waitFor(async () => expect(await statusOfReadiness(client)).toBe(200), AWAY);
    const user = await client.get('/user', { authorization: `Bearer ${token}` });
    expect(user.status).toBe(200);
    await login(client);
  });
});

describe('a database of another service', () => {
  const database = share(async (atEnd) => {
    const url = await emptyDatabase(atEnd);
    await (await openListening({ settings: settingsFor(url) }, atEnd)).stop();
    return url;
  });

  test('is refused: an instance with another key does not start', async () => {
    const settings = { DATABASE_URL: database(), SECRET_KEY: 'cd'.repeat(32) };
    expect(await refusalOf(settings)).toContain('written with a key');
  });

  test('is refused: written with another key', async () => {
    const settings = {
      ...settingsFor(database()),
      SECRET_KEY: 'cd'.repeat(32),
      DATA_DIR: temporaryFolder('instance'),
    };
    const said = await runMiftah(['user', 'disable', '1'], settings);
    expect(said.code).toBe(1);
    expect(said.err).toContain('written with a key');
  });

  test('is refused: bound to another mode', async () => {
    await ask(
      database(),
      "UPDATE store_seal SET mode = 'live', provider_url = 'https://a.example', path_prefix = '', issuer = 'https://a.example'",
    );
    expect(await refusalOf(settingsFor(database()))).toContain('belongs to mode live');
  });
});

const LIVE = {
  PROVIDER: 'live',
  PUBLIC_URL: 'https://login.example.test',
  CLIENTS_FILE: '/not/there/clients.json',
  PROVIDER_URL: 'https://provider.example.test',
  PROVIDER_PATH_PREFIX: '/',
  PROVIDER_APP_ID_FILE: '/not/there/id',
  PROVIDER_APP_KEY_FILE: '/not/there/key',
  PROVIDER_ISSUER: 'https://provider.example.test',
  PROVIDER_AUDIENCE: 'https://login.example.test',
  PROVIDER_AUTHORIZE_ORIGIN: 'https://provider.example.test',
};

describe('the commands of an operator', () => {
  test('bring the schema up to date, and read what the service wrote', async () => {
    const url = await emptyDatabase();
    const settings = { ...settingsFor(url), DATA_DIR: temporaryFolder('instance') };
    const early = await runMiftah(['audit'], settings);
    expect(early.code).toBe(1);
    expect(early.err).toContain('miftah migrate');
    // As the container of a migration has them: without the secrets of the provider.
    const live = { ...settings, ...LIVE };
    expect(await runMiftah(['migrate'], live)).toMatchObject({ code: 0, err: '' });
    const other = await runMiftah(['audit'], live);
    expect(other.err).toContain('PROVIDER_APP_KEY_FILE /not/there/key names a file');
    await login(clientForTest(await openOn(url)));
    const { out } = await runMiftah(['audit'], settings);
    expect(out).toContain('token.issued');
  });

  test('that copy files refuse, and say what to use', async () => {
    const url = await emptyDatabase();
    const said = await runMiftah(['backup', 'file'], {
      ...settingsFor(url),
      DATA_DIR: temporaryFolder('instance'),
    });
    expect(said).toMatchObject({ code: 1, out: '' });
    expect(said.err).toContain('pg_dump');
  });

  test('say that the database is away', async () => {
    const said = await runMiftah(['audit'], {
      ...settingsFor('postgres://nobody@127.0.0.1:9/nothing'),
      DATA_DIR: temporaryFolder('instance'),
    });
    expect(said.code).toBe(1);
    expect(said.err).toContain("can't be used");
  });
});

test('a database that is not in UTF-8 ends the start, and says so', async () => {
  const url = await emptyDatabase(undefined, { encoding: 'LATIN1' });
  expect(await refusalOf(settingsFor(url))).toContain(
    "LATIN1, which can't hold every name. Create another one",
  );
});
