import { expect, test } from 'vitest';
import { hasTools } from '../../../scripts/debian.mjs';
import { share } from '../../../service/test/support/at-end.ts';
import { BANK_KEY } from '../../../service/test/support/live/rehearsal.ts';
import { BUILD_LIMIT_MS, builtRelease } from '../support/release/built-release.ts';
import { Machine } from '../support/systemd/machine.ts';
import { clientsFile, runPage } from '../support/systemd/operator.ts';

/** What surrounds a command of miftah-admin. A script in the place of `miftah` says what it sees. */

const isPossible = hasTools('systemd');
const KIT = 'share/deploy/systemd';
const PROBE = `#!/bin/sh
echo "arguments: $*"
grep -h -E '^(Max core file size|NoNewPrivs|Umask|Uid):?' /proc/self/limits /proc/self/status |
  tr -s ' \\t' ' '
echo "NODE_ENV: $NODE_ENV"
echo "authorities: $NODE_EXTRA_CA_CERTS"
echo "login: $(cat /proc/self/loginuid)$CALLER_LOGIN_UID"
grep ^0:: /proc/self/cgroup
echo "folder: $(pwd)"
ls "$CREDENTIALS_DIRECTORY"
`;

/** Each script is a process of its own. It sets a login where the kernel lets it. */
const SET_LOGIN =
  '{ echo 1001 > /proc/self/loginuid; } 2> /dev/null || :; cat /proc/self/loginuid; echo';

const machine = share(async (atEnd) => {
  if (!isPossible) return null;
  const booted = await Machine.boot(await builtRelease('full'));
  atEnd(() => booted[Symbol.asyncDispose]());
  await runPage(booted, 'Install');
  await booted.expect('echo x > /etc/miftah/secrets/secret-key');
  await booted.expect('echo NODE_EXTRA_CA_CERTS=/etc/miftah/ca.pem > /etc/miftah/environment');
  await booted.expect(`mkdir -p /opt/next/bin /opt/next/${KIT}
    cp /opt/miftah/${KIT}/* /opt/next/${KIT}/`);
  await booted.expect('cat > /opt/next/bin/miftah; chmod 755 /opt/next/bin/miftah', PROBE);
  return booted;
}, BUILD_LIMIT_MS);

test('its command is the service’s user, has its secrets, and leaves no core file', async () => {
  const on = machine();
  if (on === null) return;
  const uid = await on.expect('id -u miftah');
  const login = await on.expect(SET_LOGIN);
  const said = await on.expect(`${SET_LOGIN}; /opt/next/${KIT}/miftah-admin doctor --json`);
  const lines = said.split('\n').map((line) => line.trim());
  // A login that is read only in such a group.
  expect(lines).toContainEqual(expect.stringMatching(/^0::\/system\.slice\/run-[^/]+\.service$/));
  expect(lines.slice(1).filter((line) => !line.startsWith('0::'))).toEqual([
    'arguments: --config /etc/miftah/miftah.env doctor --json',
    'Max core file size 0 0 bytes',
    'Umask: 0077',
    `Uid: ${Array(4).fill(uid).join(' ')}`,
    'NoNewPrivs: 1',
    'NODE_ENV: production',
    'authorities: /etc/miftah/ca.pem',
    `login: ${login}`,
    'folder: /var/lib/miftah',
    'secrets_secret-key',
  ]);
});

test('who changes clients can’t choose the login that the audit log names', async () => {
  const on = machine();
  if (on === null) return;
  const login = await on.expect(SET_LOGIN);
  const admin = `/opt/next/${KIT}/miftah-admin client list`;
  const { out } = await on.run(`${SET_LOGIN}; CALLER_LOGIN_UID=1234 ${admin}`);
  expect(out.split('\n').map((line) => line.trim())).toContain(`login: ${login}`);
});

test.each([
  ['timeout --signal=TERM 2', 124],
  ['timeout --signal=HUP 2', 124],
  ['timeout --foreground --signal=INT 2', 124],
])('what ends it ends the command too: %s', async (ending, code) => {
  const on = machine();
  if (on === null) return;
  await on.expect(
    `rm -rf /opt/endless; cp -r /opt/next /opt/endless; cat > /opt/endless/bin/miftah`,
    '#!/bin/sh\ncat; echo begun >&2; sleep 1000\n',
  );
  const admin = `/opt/endless/${KIT}/miftah-admin audit --follow`;
  const ran = await on.run(`${ending} ${admin}`, 'from input');
  // Its input is that of the caller.
  expect(ran).toEqual({ code, out: 'from input', err: 'begun\n' });
  const units = "systemctl list-units --plain --no-legend 'run-*.service'";
  expect(await on.expect(units)).toBe('');
});

test('commands about clients alone run as root, who owns their file', async () => {
  const on = machine();
  if (on === null) return;
  const said = await on.expect(`/opt/next/${KIT}/miftah-admin client remove '$HOME $$' 2>&1 || :`);
  expect(said).toContain('arguments: --config /etc/miftah/miftah.env client remove $HOME $$');
  expect(said).toMatch(/Uid: 0 0 0 0/);
  await on.expect('echo CLIENTS_FILE=/etc/miftah/clients.json > /etc/miftah/miftah.env');
  await on.expect('cat > /etc/miftah/clients.json', clientsFile([BANK_KEY]));
  await on.expect('chown root:miftah /etc/miftah/clients.json; chmod 640 /etc/miftah/clients.json');
  expect(await on.expect('miftah-admin client rotate-key bank')).toMatch(/^key {3}mfk_/);
  expect(await on.expect('stat -c "%U %G %a" /etc/miftah/clients.json')).toBe('root miftah 640');
});

test('it runs the release that it is in, and a copy of it at another place /opt/miftah', async () => {
  const on = machine();
  if (on === null) return;
  const version = await on.expect('/opt/miftah/bin/miftah --version');
  expect(await on.expect('miftah-admin --version')).toContain(version);
  await on.expect(`cp /opt/next/${KIT}/miftah-admin /usr/local/sbin/changed`);
  expect(await on.expect('changed --version')).toContain(version);
  expect(await on.expect(`/opt/next/${KIT}/miftah-admin --version`)).toContain('arguments: ');
});
