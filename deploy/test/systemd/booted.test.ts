import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasTools } from '../../../scripts/debian.mjs';
import { checkHistory } from '../../../service/test/support/faults/check-history.ts';
import { History } from '../../../service/test/support/faults/history.ts';
import { seededRandom, chooseSeed } from '../../../service/test/support/faults/seeded-random.ts';
import { runTraffic } from '../../../service/test/support/faults/traffic.ts';
import { LiveClient } from '../../../service/test/support/live/live-client.ts';
import { answerPush } from '../../../service/test/support/live/live-login.ts';
import { BANK_KEY } from '../../../service/test/support/live/rehearsal.ts';
import { ApiClient } from '../../../service/test/support/programs/api-client.ts';
import { until } from '../../../service/test/support/programs/until.ts';
import { builtRelease } from '../support/release/built-release.ts';
import { Machine } from '../support/systemd/machine.ts';
import {
  clientsFile,
  ready,
  rehearseOn,
  runPage,
  stateOf,
  takePorts,
} from '../support/systemd/operator.ts';
import { headingsWithCommands } from '../support/systemd/page.ts';

/**
 * The unit on a machine that systemd has booted, installed and used by the commands of
 * docs/systemd.md. The tests are the days of one machine, in this order.
 */

/** The first boot of a machine installs its Debian, which a busy machine does slowly. */
const BOOT_LIMIT_MS = 900_000;
const SETTINGS = '/etc/miftah/miftah.env';
/** The first of the simulator's people. */
const PERSON = '1000001101';
const ASK_ONCE = `fetch('http://127.0.0.1:3000/livez')`;
const NEXT_KEY = 'mfk_bank_next_0123456789abcdef';

interface AuditEvent {
  readonly action: string;
  readonly sequence: number;
}

const isPossible = hasTools('systemd');
let machine: Machine;

beforeAll(async () => {
  if (isPossible) machine = await Machine.boot(await builtRelease('full'));
}, BOOT_LIMIT_MS);
afterAll(async () => {
  if (isPossible) await machine?.[Symbol.asyncDispose]();
});

test('the page installs it, and systemd has nothing to say about the unit', async () => {
  if (!isPossible) return;
  await runPage(machine, 'Install');
  expect(await machine.run('systemd-analyze verify miftah.service miftah.socket')).toEqual({
    code: 0,
    out: '',
    err: '',
  });
});

test('the page writes the settings, and every file has its owner and mode', async () => {
  if (!isPossible) return;
  await runPage(machine, 'Settings and secrets');
  const places =
    '/etc/miftah /etc/miftah/* /etc/miftah/secrets/* /var/lib/miftah* /var/backups/miftah';
  const modes = await machine.expect(`stat -c '%n %U:%G %a' ${places}`);
  expect(modes.split('\n')).toEqual([
    '/etc/miftah root:miftah 750',
    '/etc/miftah/clients.json root:miftah 640',
    '/etc/miftah/miftah.env root:miftah 640',
    '/etc/miftah/secrets root:root 700',
    '/etc/miftah/secrets/secret-key root:root 600',
    '/var/lib/miftah miftah:miftah 700',
    '/var/lib/miftah-audit miftah:miftah 700',
    '/var/lib/miftah-head miftah:miftah 700',
    '/var/backups/miftah miftah:miftah 700',
  ]);
});

test('the page starts it, with little exposure, and somebody signs in', async () => {
  if (!isPossible) return;
  const said = await runPage(machine, 'Start', () => ready(machine));
  expect(said).not.toMatch(/^fault /m);
  expect(said).toContain('active (running)');
  await ready(machine);
  expect(await machine.expect('systemctl is-enabled miftah')).toBe('enabled');
  const security = await machine.expect('systemd-analyze security --no-pager miftah');
  const [, exposure = ''] =
    /Overall exposure level for miftah.service: ([\d.]+)/.exec(security) ?? [];
  expect(Number(exposure)).toBeLessThan(1.5);
  const login = '/opt/miftah/bin/miftah login --approve --json';
  expect(JSON.parse(await machine.expect(login))).toHaveProperty('token');
});

test('its secret is read by nobody else, and is in no place that others see', async () => {
  if (!isPossible) return;
  const key = await machine.expect('cat /etc/miftah/secrets/secret-key');
  const pid = (await stateOf(machine))['MainPID'];
  const seen = await machine.expect(
    `systemctl show miftah; systemctl show-environment; journalctl --no-pager -o verbose;
     cat /proc/${pid}/environ /proc/${pid}/cmdline | tr '\\0' '\\n'; cat ${SETTINGS}`,
  );
  expect(key).toMatch(/^[0-9a-f]{64}$/);
  expect(seen).toContain('/opt/miftah/bin/node');
  expect(seen).not.toContain(key);
  const others = 'runuser -u nobody -- cat /run/credentials/miftah.service/secrets_secret-key';
  expect(await machine.run(others)).toMatchObject({ code: 1, out: '' });
});

test('the page has the audit log written for other tools, each row once over a restart', async () => {
  if (!isPossible) return;
  await runPage(machine, 'The audit log for other tools');
  expect(await machine.run('systemd-analyze verify miftah-audit.service')).toMatchObject({
    out: '',
    err: '',
  });
  const read = async () => {
    const text = await machine.expect('cat /var/lib/miftah-audit/audit.jsonl');
    const rows = text.split('\n').filter((line) => line !== '');
    return rows.map((line) => (JSON.parse(line) as { event: AuditEvent }).event);
  };
  const isThere = async (action: string, count: number) =>
    (await read()).filter((event) => event.action === action).length >= count;
  await until(() => isThere('token.issued', 1), 500);
  await machine.expect('systemctl restart miftah');
  await ready(machine);
  // The page restarts it too, for the setting that has it watch the stream.
  await until(() => isThere('service.started', 3), 500);
  const behind = /^miftah_audit_stream_behind_seconds (\d[\d.]*)$/m;
  expect(Number(behind.exec(await numbers())?.[1])).toBeLessThan(300);
  const sequences = (await read()).map(({ sequence }) => sequence);
  expect(sequences).toEqual(sequences.map((_, index) => index + 1));
  expect(await machine.expect('systemctl is-active miftah-audit')).toBe('active');
  const security = await machine.expect('systemd-analyze security --no-pager miftah-audit');
  expect(Number(/exposure level for \S+: ([\d.]+)/.exec(security)?.[1])).toBeLessThan(1.5);
});

test('the page has each day’s tasks run by timers, and the numbers say when they went well', async () => {
  if (!isPossible) return;
  const from = Number(await machine.expect('date +%s'));
  await runPage(machine, 'Each day');
  const units = ['backup', 'verify', 'doctor'].map((task) => `miftah-daily@${task}`);
  const all = units.flatMap((unit) => [`${unit}.service`, `${unit}.timer`]).join(' ');
  expect(await machine.run(`systemd-analyze verify ${all}`)).toMatchObject({ out: '', err: '' });
  const timers = units.map((unit) => `${unit}.timer`).join(' ');
  expect(await machine.expect(`systemctl is-active ${timers}`)).toBe('active\nactive\nactive');
  const next = await machine.expect('systemctl list-timers --no-legend "miftah-daily@*"');
  expect(next.split('\n')).toHaveLength(3);
  expect(next).toMatch(/0[234]:\d\d:\d\d/);
  const security = await machine.expect('systemd-analyze security --no-pager miftah-daily@backup');
  expect(Number(/exposure level for \S+: ([\d.]+)/.exec(security)?.[1])).toBeLessThan(1.5);
  const said = await machine.expect('journalctl --no-pager -o cat -u "miftah-daily@*"');
  expect(said).toContain('A restore of it was tried.');
  expect(said).toContain('Every row is as it was written');
  expect(said).toMatch(/^Findings: \d+, of them faults: 0, warnings: \d+\.$/m);
  const made = await machine.expect(`stat -c '%U %a' /var/backups/miftah/miftah-2*Z.db`);
  expect(made).toBe('miftah 600');
  await machine.expect('systemctl restart miftah');
  await ready(machine);
  await until(async () => (await lastSuccesses()).length === 3, 500);
  expect((await lastSuccesses()).every((at) => at >= from)).toBe(true);
});

test('a task that fails is a unit that has failed, and an unknown one is told', async () => {
  if (!isPossible) return;
  await machine.expect('chown root /var/backups/miftah');
  expect(await machine.run('systemctl start miftah-daily@backup')).toMatchObject({ code: 1 });
  expect((await machine.run('systemctl is-failed miftah-daily@backup')).out).toBe('failed\n');
  await machine.expect('chown miftah /var/backups/miftah; systemctl start miftah-daily@backup');
  expect(await machine.run('systemctl start miftah-daily@nothing')).toMatchObject({ code: 1 });
  const said = await machine.expect('journalctl --no-pager -o cat -u miftah-daily@nothing');
  expect(said).toContain('there is no task "nothing": backup, verify or doctor');
  await machine.expect('systemctl reset-failed');
});

/** As Prometheus reads them. */
function numbers(): Promise<string> {
  const read = `fetch('http://127.0.0.1:9464/metrics').then((answer) => answer.text()).then(console.log)`;
  return machine.expect(`/opt/miftah/bin/node -e "${read}"`);
}

/** The seconds of each task that has gone well. */
async function lastSuccesses(): Promise<number[]> {
  const text = await numbers();
  const found = text.matchAll(/^miftah_last_success_timestamp_seconds\S+ (\d[\d.]*)$/gm);
  return [...found].map(([, at]) => Number(at)).filter((at) => at > 0);
}

test('the process has the limits that the unit asks for', async () => {
  if (!isPossible) return;
  const state = await stateOf(machine);
  expect(state).toMatchObject({
    // What the process gets can be less here: the container has limits of its own.
    LimitNOFILE: '16384',
    OOMScoreAdjust: '-500',
    TimeoutStopUSec: '5min 10s',
    RestartForceExitStatus: 'HUP',
    RestartPreventExitStatus: '2',
  });
  const of = `/proc/${state['MainPID']}`;
  const seen = await machine.expect(`cat ${of}/limits ${of}/status`);
  expect(seen).toMatch(/^Max core file size +0 +0 /m);
  expect(seen).toMatch(/^Umask:\s+0077$/m);
});

test('killed in the middle of traffic, it is started again and has lost nothing', async () => {
  if (!isPossible) return;
  await machine.expect(`echo RATE_LIMITS=off >> ${SETTINGS}; systemctl restart miftah`);
  await ready(machine);
  const { origin } = await machine.relay(3000);
  const history = new History();
  const random = seededRandom(chooseSeed());
  // A writer that has no request under way at the kill notices nothing: its next one waits at the
  // socket of systemd. So it is told when to end.
  let isKilled = false;
  const isOver = () => isKilled;
  const traffic = runTraffic({ origins: [origin], writers: 4, history, random, isOver });
  await until(() => history.answers > 200);
  // Without the choice of the main process it also fails where a control process has just ended.
  await machine.expect('systemctl kill --kill-whom=main --signal=KILL miftah');
  isKilled = true;
  await traffic;
  await ready(machine);
  expect(await stateOf(machine)).toMatchObject({ NRestarts: '1' });
  const client = new ApiClient(origin);
  await checkHistory({ clients: [client], history }, history.attempts);
  client.close();
  expect(history.violations).toEqual([]);
  expect(await machine.expect('/opt/miftah/bin/miftah login --approve --json')).toContain('token');
});

test('threat 95: nobody else gets its ports while it is down, and requests wait', async () => {
  if (!isPossible) return;
  const said = await takePorts(machine);
  await until(async () => (await said()).includes('refused with EADDRINUSE'));
  await machine.expect('systemctl restart miftah');
  await ready(machine);
  await machine.expect('systemctl kill --kill-whom=main --signal=KILL miftah');
  await ready(machine);
  await machine.expect('systemctl stop miftah');
  const waiting = machine.run(`/opt/miftah/bin/node -p "${ASK_ONCE}"`);
  await until(async () => (await machine.run('systemctl is-active miftah-port')).code === 0);
  expect(await stateOf(machine)).toMatchObject({ ActiveState: 'inactive' });
  await machine.expect('systemctl start miftah');
  expect(await waiting).toMatchObject({ code: 0 });
  expect(await said()).not.toContain('taken');
  await machine.expect('systemctl stop taker');
  // As after a change of its addresses.
  await machine.expect('systemctl restart miftah.socket miftah');
  await ready(machine);
});

test('the operator’s commands of the page work, and leave no trace of people', async () => {
  if (!isPossible) return;
  const said = await runPage(machine, "The operator's commands");
  expect(said).toContain('SECRET_KEY_FILE=/run/credentials/');
  expect(said).toContain('Every row is as it was written');
  expect(said).toContain('Restored /var/backups/miftah/today.db');
  await ready(machine);
  const owner = await machine.expect(`stat -c '%U %a' /var/backups/miftah/today.db`);
  expect(owner).toBe('miftah 600');
  const unknown = await machine.run('miftah-admin user find --national-id', '1000000001\n');
  expect(unknown.code).not.toBe(0);
  const all = await machine.expect('journalctl --no-pager -o verbose');
  expect(all).toContain('a command of miftah-admin');
  // The daily one has its arguments in a file that everybody can read.
  expect(all.replaceAll('audit --verify --record', '')).not.toContain('audit --verify');
});

test('miftah-admin has the exit codes of the commands, and is for root', async () => {
  if (!isPossible) return;
  expect(await machine.run('miftah-admin no-such-command')).toMatchObject({ code: 2 });
  const typed = await machine.run("miftah-admin user disable '$HOME ${PATH} $$'");
  expect(typed.err).toContain('$HOME ${PATH} $$');
  const other = await machine.run('runuser -u nobody -- miftah-admin doctor');
  expect(other).toMatchObject({ code: 2, out: '' });
  expect(other.err).toContain('run it as root');
});

test('a stop is clean', async () => {
  if (!isPossible) return;
  await machine.expect('systemctl stop miftah');
  expect(await stateOf(machine)).toMatchObject({
    ActiveState: 'inactive',
    Result: 'success',
    ExecMainStatus: '0',
  });
  expect(await machine.expect('miftah-admin doctor')).toContain('store.integrity');
});

test('live mode signs somebody in by phone, with the provider’s secrets from files', async () => {
  if (!isPossible) return;
  await rehearseOn(machine, [BANK_KEY]);
  await ready(machine);
  const [service, simulator] = [await machine.relay(3000), await machine.relay(4000)];
  const client = new LiveClient({ service }, BANK_KEY);
  const started = await client.startPhone(PERSON);
  await answerPush({ simulator }, client, started);
  await client.confirm(started);
  const { status, data, text } = await client.redeem(started);
  expect([status, data['token']], text).toEqual([200, expect.stringMatching(/^mft_test_/)]);
});

test('a key of the provider outside of the credentials is read again by a reload', async () => {
  if (!isPossible) return;
  const inside = '/etc/miftah/secrets/provider-app-key';
  const outside = '/etc/miftah/provider-app-key';
  const right = await machine.expect(`cat ${inside}`);
  await machine.expect(
    `install -o root -g miftah -m 640 ${inside} ${outside} && rm ${inside}
     echo PROVIDER_APP_KEY_FILE=${outside} >> ${SETTINGS}; systemctl restart miftah`,
  );
  await ready(machine);
  const client = new LiveClient({ service: await machine.relay(3000) }, BANK_KEY);
  const codeOf = async () => (await client.start({})).code;
  expect(await codeOf()).toBe('');
  for (const [key, code] of [
    ['another-key', 'provider.misconfigured'],
    [right, ''],
  ] as const) {
    await machine.write(outside, key);
    await runPage(machine, 'While it runs');
    await until(async () => (await codeOf()) === code);
  }
  expect(await stateOf(machine)).toMatchObject({ NRestarts: '0', ActiveState: 'active' });
  await machine.expect(
    `install -m 600 ${outside} ${inside}; rm ${outside}
     sed -i '/^PROVIDER_APP_KEY_FILE=/d' ${SETTINGS}; systemctl restart miftah`,
  );
  await ready(machine);
});

test('a reload reads the clients anew, and keeps every connection', async () => {
  if (!isPossible) return;
  const relay = await machine.relay(3000);
  const client = new ApiClient(relay.origin);
  const statusOf = async (key: string) =>
    (await client.post('/start', { locale: 'en' }, { authorization: `Bearer ${key}` })).status;
  expect([await statusOf(BANK_KEY), await statusOf(NEXT_KEY)]).toEqual([200, 401]);
  const { MainPID } = await stateOf(machine);

  await machine.write('/etc/miftah/clients.json', clientsFile([BANK_KEY, NEXT_KEY]));
  await runPage(machine, 'While it runs');
  await until(async () => (await statusOf(NEXT_KEY)) === 200);
  await machine.write('/etc/miftah/clients.json', '{ "clients": {} }');
  await runPage(machine, 'While it runs');
  await until(async () => (await machine.journal()).includes('everything stays as it was'));

  expect(await statusOf(BANK_KEY)).toBe(200);
  expect(relay.opened()).toBe(1);
  expect(await stateOf(machine)).toMatchObject({ MainPID, NRestarts: '0', ActiveState: 'active' });
  client.close();
});

describe('what is wrong is said once, and not tried again', () => {
  const wrong = [
    {
      what: 'a setting',
      script: `echo PORT=99999 >> ${SETTINGS}`,
      says: 'PORT must be 0 to 65535 (it is "99999")',
    },
    {
      what: 'a port that its socket does not have',
      script: `sed -i '/^PORT=/d' ${SETTINGS}; echo PORT=3001 >> ${SETTINGS}`,
      says: 'a socket that systemd holds for the service listens on 127.0.0.1:3000, but HOST and',
    },
    {
      what: 'the clients',
      script: `echo '{' > /etc/miftah/clients.json`,
      says: "CLIENTS_FILE: /etc/miftah/clients.json can't be used:",
    },
    {
      what: 'the name of a secret',
      script: 'echo x > /etc/miftah/secrets/secret_key',
      says: '/etc/miftah/secrets/secret_key is no secret of the service.',
    },
    {
      what: 'a forgotten PROVIDER',
      script: `sed -i '/^PROVIDER=/d; /^ALLOW_SIMULATOR=/d' ${SETTINGS}`,
      says: 'the simulator refuses NODE_ENV=production',
    },
    {
      what: 'an empty secret',
      script: ': > /etc/miftah/secrets/provider-app-key',
      says: 'PROVIDER_APP_KEY_FILE',
    },
  ];

  test.each(wrong)('$what', async ({ script, says }) => {
    if (!isPossible) return;
    await machine.expect('systemctl stop miftah; cp -a /etc/miftah /etc/miftah.kept');
    await machine.expect('rm -rf /var/lib/miftah/*; journalctl --rotate --vacuum-time=1s');
    await machine.expect(`${script}; systemctl reset-failed; systemctl start miftah || true`);
    await until(async () => (await stateOf(machine))['ActiveState'] === 'failed');
    expect(await stateOf(machine)).toMatchObject({
      SubState: 'failed',
      NRestarts: '0',
      ExecMainStatus: '2',
    });
    expect(await machine.journal()).toContain(says);
    expect(await machine.expect('ls /var/lib/miftah')).toBe('');
    await machine.expect('rm -rf /etc/miftah; mv /etc/miftah.kept /etc/miftah');
  });
});

test('every section of the page that has commands was run', () => {
  expect(headingsWithCommands()).toEqual([
    'Install',
    'Settings and secrets',
    'Start',
    'While it runs',
    "The operator's commands",
    'The audit log for other tools',
    'Each day',
    // instances.test.ts runs it.
    'Several instances on one machine',
  ]);
});
