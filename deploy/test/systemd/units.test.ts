import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../../../scripts/run.mjs';

const SECRETS = '/opt/miftah/share/deploy/systemd/with-secrets';
const START = '/opt/miftah/bin/miftah start --config /etc/miftah/miftah.env';

const linesOf = (name: string) =>
  readFileSync(join(root, 'deploy/systemd', name), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));

/**
 * The files of the units by themselves. On a machine that systemd has booted they are in
 * going-live.test.ts, and at length in booted.test.ts and instances.test.ts.
 */

test('the unit of one more instance is that of the first one, but for what is its own', () => {
  const [one, more] = [linesOf('miftah.service'), linesOf('miftah@.service')];
  expect(more.filter((line) => !one.includes(line))).toEqual([
    'Description=Miftah, the authentication attempt service, at port %i',
    'Requires=miftah@%i.socket',
    'Sockets=miftah@%i.socket',
    'Environment=PORT=%i METRICS_PORT=1%i',
    'Environment=DATA_DIR=/var/lib/miftah/%i AUDIT_HEAD_FILE=/var/lib/miftah-head/%i',
    'Environment=OPERATOR_PORT=off',
    'EnvironmentFile=-/etc/miftah/%i.env',
    `ExecStart=${SECRETS} --database-in /etc/miftah/miftah.env ${START}`,
    'SyslogIdentifier=miftah-%i',
    'StateDirectory=miftah/%i miftah-head',
    'WorkingDirectory=/var/lib/miftah/%i',
    'Also=miftah@%i.socket',
  ]);
  expect(one.filter((line) => !more.includes(line))).toEqual([
    'Description=Miftah, the authentication attempt service',
    'Requires=miftah.socket',
    'Sockets=miftah.socket',
    `ExecStart=${SECRETS} ${START}`,
    'SyslogIdentifier=miftah',
    'StateDirectory=miftah miftah-head',
    'WorkingDirectory=/var/lib/miftah',
    'Also=miftah.socket',
  ]);
});

const PROGRAM = '/opt/miftah/bin/miftah';

/** The script of the units, with `echo` in the place of the program. */
function daily(...args: string[]) {
  const script = readFileSync(join(root, 'deploy/systemd/miftah-daily'), 'utf8');
  expect(script.split(PROGRAM)).toHaveLength(2);
  const echoing = script.replace(PROGRAM, 'echo');
  return spawnSync('sh', ['-c', echoing, 'miftah-daily', ...args], { encoding: 'utf8' });
}

test('the tasks of each day are commands that write down how they went', () => {
  const said = ['backup', 'verify', 'doctor'].map((task) => daily(task).stdout);
  expect(said).toEqual(
    ['backup --into /var/backups/miftah', 'audit --verify --record', 'doctor --record'].map(
      (command) => `--config /etc/miftah/miftah.env ${command}\n`,
    ),
  );
});

test('a task of each day that there is not is told', () => {
  expect(daily('tidy')).toMatchObject({ status: 2, stdout: '' });
  expect(daily().stderr).toContain('there is no task ""');
});
