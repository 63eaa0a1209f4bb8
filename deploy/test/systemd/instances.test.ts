import { chmodSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { pipeline } from 'node:stream';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { hasTools } from '../../../scripts/debian.mjs';
import { temporaryFolder } from '../../../service/test/support/at-end.ts';
import { emptyDatabase } from '../../../service/test/support/postgres/databases.ts';
import { ApiClient } from '../../../service/test/support/programs/api-client.ts';
import { until } from '../../../service/test/support/programs/until.ts';
import { builtRelease } from '../support/release/built-release.ts';
import { Machine } from '../support/systemd/machine.ts';
import { keepCode, ready, runPage } from '../support/systemd/operator.ts';

/**
 * Several instances on one machine that systemd has booted, by the commands of docs/systemd.md. The
 * tests are the days of that machine, in this order.
 */

/** The first boot of a machine installs its Debian, which a busy machine does slowly. */
const BOOT_LIMIT_MS = 900_000;
const PAUSE_MS = 200;
/** Where PostgreSQL is on the machine: in the folder of a Unix socket. */
const FOLDER = '/srv';

const isPossible = hasTools('systemd');
const endings: (() => unknown)[] = [];
const atEnd = (work: () => unknown) => void endings.push(work);
let machine: Machine;
let databaseUrl = '';

beforeAll(async () => {
  if (!isPossible) return;
  const database = new URL(await emptyDatabase(atEnd));
  const folder = temporaryFolder('socket', atEnd);
  chmodSync(folder, 0o755);
  const door = await lead(join(folder, '.s.PGSQL.5432'), Number(database.port));
  atEnd(() => door.close());
  databaseUrl = `postgres://${database.username}:${database.password}@${database.pathname}?host=${FOLDER}`;
  const release = await builtRelease('full');
  machine = await Machine.bootWith([
    `--bind-ro=${release}:/opt/miftah`,
    `--bind=${folder}:${FOLDER}`,
  ]);
}, BOOT_LIMIT_MS);
afterAll(async () => {
  if (isPossible) await machine?.[Symbol.asyncDispose]();
  for (const end of endings.toReversed()) await end();
});

/** The machine has a network of its own, and shares a folder. */
async function lead(path: string, port: number): Promise<Server> {
  const server = createServer((socket) => {
    const outside = connect(port, '127.0.0.1');
    pipeline(socket, outside, () => undefined);
    pipeline(outside, socket, () => undefined);
  });
  await new Promise<void>((resolve) => void server.listen(path, resolve));
  chmodSync(path, 0o777);
  return server;
}

async function clientAt(port: number): Promise<ApiClient> {
  const { origin } = await machine.relay(port);
  await until(async () => (await fetch(`${origin}/readyz`)).ok, PAUSE_MS);
  return new ApiClient(origin);
}

const stateOf = (unit: string) =>
  machine.run(`systemctl is-active ${unit}`).then(({ out }) => out.trim());

test('without a database an instance does not start, because it would have people of its own', async () => {
  if (!isPossible) return;
  await runPage(machine, 'Install');
  await runPage(machine, 'Settings and secrets');
  await keepCode(machine);
  await machine.run(
    `cp /opt/miftah/share/deploy/systemd/miftah*@.s* /etc/systemd/system/
     systemctl daemon-reload; systemctl start miftah@3001`,
  );
  await until(async () => (await stateOf('miftah@3001')) === 'failed', PAUSE_MS);
  const said = await machine.expect('journalctl --no-pager -o cat -u miftah@3001');
  expect(said).toContain('Put DATABASE_URL into /etc/miftah/secrets/database-url, or set');
  expect(said).toContain('status=2');
  expect(await machine.expect('find /var/lib/miftah -type f')).toBe('');
  const units = ['miftah@3001.service', 'miftah@3001.socket'].join(' ');
  expect(await machine.run(`systemd-analyze verify ${units}`)).toMatchObject({ out: '', err: '' });
  await machine.expect(
    `systemctl stop 'miftah@*.socket'; systemctl reset-failed 'miftah@*'
     rm -r /var/lib/miftah/3001 /etc/systemd/system/miftah*@*; systemctl daemon-reload`,
  );
});

test('the page starts two more, and a sign-in goes over all three', async () => {
  if (!isPossible) return;
  await machine.write('/etc/miftah/secrets/database-url', databaseUrl);
  await machine.expect('systemctl start miftah');
  await ready(machine);
  await runPage(machine, 'Several instances on one machine');
  const [first, second, third] = [await clientAt(3000), await clientAt(3001), await clientAt(3002)];
  const key = { authorization: 'Bearer mfk_test_simulator' };
  const attempt = await first.start({ national_id: '1000001101', locale: 'en' });
  await second.post('/complete-mfa', { attempt_id: attempt.attempt_id });
  const { token } = await third.token(attempt);
  const bearer = { ...key, authorization: `Bearer ${token}` };
  expect((await first.get('/user', bearer)).status).toBe(200);
  const places = await machine.expect('ls -d /var/lib/miftah/3* /var/lib/miftah-head/*');
  expect(places.split('\n')).toEqual([
    '/var/lib/miftah-head/3001',
    '/var/lib/miftah-head/3002',
    '/var/lib/miftah-head/audit-head',
    '/var/lib/miftah/3001',
    '/var/lib/miftah/3002',
  ]);
  const read = `fetch('http://127.0.0.1:13001/metrics').then(({ status }) => console.log(status))`;
  expect(await machine.expect(`/opt/miftah/bin/node -e "${read}"`)).toBe('200');
  const doctor = await machine.expect('miftah-admin doctor');
  expect(doctor).not.toMatch(/^fault /m);
});

test('the tasks of each day work with a database, and every instance tells of them', async () => {
  if (!isPossible) return;
  await machine.expect(
    `cp /opt/miftah/share/deploy/systemd/miftah-daily@.* /etc/systemd/system/
     systemctl daemon-reload; systemctl start miftah-daily@verify miftah-daily@doctor
     miftah-admin backup --elsewhere; systemctl restart miftah@3002`,
  );
  const refused = await machine.run('systemctl start miftah-daily@backup');
  expect(refused.code).not.toBe(0);
  const said = await machine.expect('journalctl --no-pager -o cat -u miftah-daily@backup');
  expect(said).toContain('After a dump `miftah backup --elsewhere` tells of it');
  const tasks = 'audit.verified,service.examined,store.backed_up';
  const rows = await machine.expect(`miftah-admin audit --json --action ${tasks}`);
  const actions = rows.split('\n').map((row) => (JSON.parse(row) as { action: string }).action);
  expect(actions.toSorted()).toEqual(tasks.split(','));
  const read = `fetch('http://127.0.0.1:13002/metrics').then((one) => one.text()).then(console.log)`;
  const told = /^miftah_last_success_timestamp_seconds\{task="(\w+)"\} 1[\d.]{9,}$/gm;
  await until(async () => {
    const text = await machine.expect(`/opt/miftah/bin/node -e "${read}"`);
    return [...text.matchAll(told)].length === 3;
  }, PAUSE_MS);
});

test('one is killed and comes back, or is stopped with its ports, and the others go on', async () => {
  if (!isPossible) return;
  await machine.expect('systemctl kill --kill-whom=main --signal=KILL miftah@3001');
  await until(
    async () => (await machine.run('systemctl show -P NRestarts miftah@3001')).out === '1\n',
  );
  await clientAt(3001);
  await machine.expect('systemctl stop miftah@3001.socket');
  expect(await stateOf('miftah@3001')).toBe('inactive');
  expect([await stateOf('miftah'), await stateOf('miftah@3002')]).toEqual(['active', 'active']);
  await clientAt(3002);
  const security = await machine.expect('systemd-analyze security --no-pager miftah@3002');
  expect(Number(/exposure level for \S+: ([\d.]+)/.exec(security)?.[1])).toBeLessThan(1.5);
});

test('a password that can change while it runs, as the page says, is that of all instances', async () => {
  if (!isPossible) return;
  await machine.expect(
    `install -m 640 -g miftah /etc/miftah/secrets/database-url /etc/miftah/database-url
     rm /etc/miftah/secrets/database-url
     echo DATABASE_URL_FILE=/etc/miftah/database-url >> /etc/miftah/miftah.env
     systemctl restart miftah miftah@3001 miftah@3002`,
  );
  for (const port of [3000, 3001, 3002]) await clientAt(port);
});
