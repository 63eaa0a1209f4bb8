import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { writeClientsFile } from '../../../scripts/rehearsal.ts';
import { share, temporaryFolder } from '../support/at-end.ts';
import { InstancesUnderLoad, SHORT_LOAD } from '../support/faults/instances-under-load.ts';
import { chooseSeed } from '../support/faults/seeded-random.ts';
import { CLIENTS } from '../support/live/rehearsal.ts';
import { ask, urlOf } from '../support/postgres/databases.ts';
import { startPostgres } from '../support/postgres/server.ts';
import { ApiClient } from '../support/programs/api-client.ts';
import { until } from '../support/programs/until.ts';
import { openListening } from '../support/service/listening-service.ts';

/** The password of the database is changed on the server while instances run. */

const SECRET_KEY = 'ab'.repeat(32);
const PASSWORDS = ['of-before-0123456789', 'of-now-0123456789', 'of-later-0123456789'] as const;
const NOT_IN_A_LOG = new RegExp(PASSWORDS.join('|'));
const READ_ANEW = 'read anew what may change while the service runs';
const STAYS = 'everything stays as it was';
const END_ALL = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'app'`;

const opened = share(async (atEnd) => {
  const server = await startPostgres({ settings: { synchronous_commit: 'on' } });
  atEnd(() => server.close());
  await ask(server.url, 'CREATE ROLE app LOGIN');
  await ask(server.url, 'CREATE DATABASE app OWNER app');
  return { url: server.url, ofApp: urlOf(server.url, 'app') };
});

const urlWith = (password: string) => {
  const url = new URL(opened().ofApp);
  [url.username, url.password] = ['app', password];
  return url.href;
};

const setPassword = (password: string) =>
  ask(opened().url, `ALTER ROLE app PASSWORD '${password}'`);

const endConnections = () => ask(opened().url, END_ALL);

/** As an operator replaces it: never half of it. */
function replaceFile(path: string, text: string): void {
  writeFileSync(`${path}.next`, text, { mode: 0o600 });
  renameSync(`${path}.next`, path);
}

async function readiness(origin: string): Promise<{ status: number; text: string }> {
  const client = new ApiClient(origin, { keepAlive: false });
  const { status, text } = await client.send('GET', '/readyz');
  client.close();
  return { status, text };
}

describe('two instances under load', () => {
  const running = share(async (atEnd) => {
    const file = join(temporaryFolder('password', atEnd), 'database-url');
    await setPassword(PASSWORDS[0]);
    replaceFile(file, urlWith(PASSWORDS[0]));
    const settings = { DATABASE_URL_FILE: file };
    const load = await InstancesUnderLoad.startWith([settings, settings], chooseSeed(), SHORT_LOAD);
    atEnd(() => load.close());
    return { file, load };
  });
  beforeEach(() => running().load.startAnew());

  async function expectNothingLost(): Promise<void> {
    const { load } = running();
    await load.look(opened().ofApp);
    expect(load.history.violations).toEqual([]);
    expect(load.history.attempts.some(({ tokens }) => tokens.size > 0)).toBe(true);
    for (const instance of load.instances) {
      expect(instance.stdout() + instance.stderr()).not.toMatch(NOT_IN_A_LOG);
    }
  }

  it('go on without a single refusal when file and password are changed and SIGHUP is sent', async () => {
    const { file, load } = running();
    await load.during(async () => {
      await setPassword(PASSWORDS[1]);
      replaceFile(file, urlWith(PASSWORDS[1]));
      for (const instance of load.instances) instance.signal('SIGHUP');
      await Promise.all(
        load.instances.map((instance) => until(() => instance.stdout().includes(READ_ANEW))),
      );
      await load.untilWritable();
    });
    expect(load.history.unavailable).toBe(0);
    await expectNothingLost();
  });

  it('say what is missing while the file has the old one, and go on without a signal', async () => {
    const { file, load } = running();
    await load.during(async () => {
      await setPassword(PASSWORDS[2]);
      await endConnections();
      for (const { origin } of load.instances) {
        await until(async () => (await readiness(origin)).text.includes('refuses the password'));
        const { status, text } = await readiness(origin);
        expect(status).toBe(503);
        expect(text).toContain('the service reads that file again by itself');
      }
      replaceFile(file, `${urlWith(PASSWORDS[2])}\n`);
      await load.untilWritable();
    });
    await expectNothingLost();
    // Those that were made with the new one are ended, so that all are made again.
    await load.during(async () => {
      await endConnections();
      await load.untilWritable();
    });
    await expectNothingLost();
  });
});

const elsewhere = (change: (url: URL) => void) => (path: string) => {
  const url = new URL(urlWith(PASSWORDS[1]));
  change(url);
  writeFileSync(path, url.href);
};
const ONLY_THE_PASSWORD = 'only the password can change while the service runs';

const FAULTS: readonly (readonly [string, (path: string) => void, string])[] = [
  ['is empty', (path) => writeFileSync(path, ' \n'), 'is empty'],
  [
    'has control characters',
    (path) => writeFileSync(path, urlWith(PASSWORDS[1]).replace('of-now', 'of-\nnow')),
    'has a control character',
  ],
  ['is too large', (path) => writeFileSync(path, 'x'.repeat(70_000)), 'more than 65536 bytes'],
  ['is not there', () => undefined, 'is not there (ENOENT)'],
  ['is a folder', (path) => mkdirSync(path), 'is a folder'],
  ['names another host', elsewhere((url) => (url.hostname = '127.0.0.2')), ONLY_THE_PASSWORD],
  ['names another database', elsewhere((url) => (url.pathname = '/postgres')), ONLY_THE_PASSWORD],
  ['names another user', elsewhere((url) => (url.username = 'postgres')), ONLY_THE_PASSWORD],
  [
    'has other parameters',
    elsewhere((url) => (url.search = '?application_name=x')),
    ONLY_THE_PASSWORD,
  ],
];

describe('a file of DATABASE_URL', () => {
  const running = share(async (atEnd) => {
    const file = join(temporaryFolder('password', atEnd), 'database-url');
    await setPassword(PASSWORDS[0]);
    replaceFile(file, urlWith(PASSWORDS[0]));
    const service = await openListening(
      { settings: { DATABASE_URL_FILE: file, SECRET_KEY } },
      atEnd,
    );
    return { file, service };
  });

  it.each(FAULTS)('that %s leaves the old password in force', async (_, write, said) => {
    const { file, service } = running();
    onTestFinished(() => {
      rmSync(file, { recursive: true, force: true });
      replaceFile(file, urlWith(PASSWORDS[0]));
    });
    rmSync(file, { recursive: true, force: true });
    write(file);
    const before = service.log().length;
    await service.reload();
    const told = service.log().slice(before);
    expect(told).toContain(STAYS);
    expect(told).toContain(`DATABASE_URL_FILE ${file}`.trim());
    expect(told).toContain(said);
    expect(told).not.toMatch(NOT_IN_A_LOG);
    await endConnections();
    await until(async () => (await readiness(service.origin)).status === 200);
  });

  it('that can not be used is told of when the server refuses the password', async () => {
    const { file, service } = running();
    const before = service.log().length;
    writeFileSync(file, '');
    await setPassword(PASSWORDS[1]);
    await endConnections();
    await until(async () => (await readiness(service.origin)).text.includes('can not be used: '));
    await until(() => service.log().slice(before).includes('stays in use'));
    expect(service.log().slice(before)).toContain(`DATABASE_URL_FILE ${file} is empty`);
    replaceFile(file, urlWith(PASSWORDS[1]));
    await until(async () => (await readiness(service.origin)).status === 200);
    expect(service.log()).not.toMatch(NOT_IN_A_LOG);
  });
});

it('a password in the environment is changed by a restart, and readiness says so', async () => {
  await setPassword(PASSWORDS[0]);
  const settings = { DATABASE_URL: urlWith(PASSWORDS[0]), SECRET_KEY };
  const service = await openListening({ settings });
  await setPassword(PASSWORDS[1]);
  await endConnections();
  await until(async () => (await readiness(service.origin)).text.includes('refuses the password'));
  const { text } = await readiness(service.origin);
  expect(text).toContain('Restart the service with the right DATABASE_URL');
  expect(text).not.toContain('by itself');
  await setPassword(PASSWORDS[0]);
  await until(async () => (await readiness(service.origin)).status === 200);
});

it('a start with the wrong password says the same, and goes on when the file has the right one', async () => {
  await setPassword(PASSWORDS[1]);
  const file = join(temporaryFolder('password'), 'database-url');
  replaceFile(file, urlWith(PASSWORDS[0]));
  const service = await openListening({ settings: { DATABASE_URL_FILE: file, SECRET_KEY } });
  const { status, text } = await readiness(service.origin);
  expect(status).toBe(503);
  expect(text).toContain('the service reads that file again by itself');
  replaceFile(file, urlWith(PASSWORDS[1]));
  await expect.poll(async () => (await readiness(service.origin)).status).toBe(200);
});

it('one that systemd has copied is changed by a restart, and readiness and a reload say so', async () => {
  await setPassword(PASSWORDS[0]);
  const folder = temporaryFolder('password');
  const file = join(folder, 'secrets_database-url');
  replaceFile(file, urlWith(PASSWORDS[0]));
  const clients = writeClientsFile(folder, [CLIENTS.bank]);
  const service = await openListening({
    settings: {
      DATABASE_URL_FILE: file,
      SECRET_KEY,
      CREDENTIALS_DIRECTORY: folder,
      CLIENTS_FILE: clients,
    },
  });
  await setPassword(PASSWORDS[1]);
  await endConnections();
  await until(async () => (await readiness(service.origin)).text.includes('refuses the password'));
  const said = '/etc/miftah/secrets/database-url, and restart the service';
  expect((await readiness(service.origin)).text).toContain(said);
  const before = service.log().length;
  await service.reload();
  const told = service.log().slice(before);
  expect(told).toContain('the clients stay as they were');
  expect(told).toContain(said);
  expect(told).not.toContain('"stack"');
  await setPassword(PASSWORDS[0]);
  await until(async () => (await readiness(service.origin)).status === 200);
});
