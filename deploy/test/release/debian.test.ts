import { mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { hasTools } from '../../../scripts/debian.mjs';
import { packDebian } from '../../../scripts/release/debian.ts';
import { share } from '../../../service/test/support/at-end.ts';
import { BUILD_LIMIT_MS, builtRelease } from '../support/release/built-release.ts';
import { Machine } from '../support/systemd/machine.ts';
import { ready, stateOf } from '../support/systemd/operator.ts';
import { commandsOf } from '../support/systemd/page.ts';

/**
 * The package of Debian on a machine that systemd has booted. The tests are its days, in this order.
 * What the package has in it: package.test.ts.
 */

const isPossible = hasTools('systemd');
const [FIRST, NEXT] = ['0.1.0', '0.1.1-rc.1'];
/** That of a release takes most of the processor time of this file. */
const level = 1;

const shared = share(async (atEnd) => {
  if (!isPossible) return null;
  const folder = mkdtempSync(join(tmpdir(), 'miftah-debian-'));
  atEnd(() => rmSync(folder, { recursive: true }));
  const release = await builtRelease('full');
  const files: string[] = [];
  // The last one has the name of a package for live mode, and the simulator all the same.
  const wanted = [
    { version: FIRST, isLive: false },
    { version: NEXT, isLive: false },
    { version: NEXT, isLive: true },
  ];
  for (const options of wanted) {
    const made = await packDebian(release, { ...options, level });
    files.push(join(folder, basename(made)));
    for (const end of ['', '.sha256']) renameSync(made + end, join(folder, basename(made) + end));
  }
  const machine = await Machine.bootWith([`--bind-ro=${folder}:/srv`]);
  atEnd(() => machine[Symbol.asyncDispose]());
  return { machine, files };
}, BUILD_LIMIT_MS);

/** Asks the service again and again until it is told to end: a gap of a few milliseconds is seen. */
const ASK_ON = `
const { get } = require('node:http');
const counts = { asked: 0, failed: 0 };
let isOver = false;
process.on('SIGTERM', () => { isOver = true; });
const on = () => {
  if (isOver) return console.log(counts.asked + ' asked, ' + counts.failed + ' without an answer');
  counts.asked += 1;
  const next = () => setTimeout(on, 3);
  get({ port: 3000, path: '/livez', agent: false }, (answer) => answer.resume().on('end', next))
    .on('error', () => { counts.failed += 1; next(); });
};
on();
`;

/** What the first one has signed in with, and is asked for over an upgrade. */
let token = '';

/** The lines of docs/upgrading.md for the package, with the names of this one. */
const [, , BLOCK = ''] = commandsOf('One instance', 'upgrading.md');
const [UNPACK = '', LOOK = '', BACK_UP = '', CONFIGURE = ''] = BLOCK.replace(
  /miftah_\S+\.deb/,
  '/srv/miftah-full_0.1.1*.deb',
)
  .replace(/miftah\n$/, 'miftah-full')
  .split('\n');

const RELEASES = 'ls /usr/lib/miftah/releases | wc -l';

const statusOf = (machine: Machine) =>
  machine.expect(
    `/opt/miftah/bin/node -e "fetch('http://127.0.0.1:3000/api/v1/user', { headers: {
       authorization: 'Bearer ${token}' } }).then(({ status }) => console.log(status))"`,
  );

test('a release that is linked by hand is not written into', async () => {
  const at = shared();
  if (at === null) return;
  const { machine } = at;
  await machine.expect('mkdir /opt/by-hand; ln -s by-hand /opt/miftah');
  const { code, err } = await machine.run(
    'cd /srv; sha256sum --check *.sha256; dpkg -i miftah-full_0.1.0_*.deb',
  );
  expect(code).not.toBe(0);
  expect(err).toContain('/opt/miftah is not of this package: it is /opt/by-hand');
  expect(await machine.expect('ls /opt/by-hand')).toBe('');
  await machine.expect('rm /opt/miftah; mv /opt/by-hand /opt/miftah');
  expect((await machine.run('dpkg -i /srv/miftah-full_0.1.0_*.deb')).err).toContain(
    'it is /opt/miftah, a release',
  );
  await machine.expect('rmdir /opt/miftah');
});

test('it is installed with unit, user and folders, and starts nothing without settings', async () => {
  const at = shared();
  if (at === null) return;
  const { machine } = at;
  const said = await machine.expect('dpkg -i /srv/miftah-full_0.1.0_*.deb');
  expect(said).toContain(
    'by: miftah init, then: systemd-tmpfiles --create miftah.conf; systemctl enable --now miftah',
  );
  const state = await stateOf(machine);
  expect(state).toMatchObject({ ActiveState: 'inactive', UnitFileState: 'disabled' });
  expect(state['FragmentPath']).toMatch(/\/lib\/systemd\/system\/miftah.service$/);
  expect(await machine.expect('stat -c "%U %a" /var/lib/miftah /etc/miftah/secrets')).toBe(
    'miftah 700\nroot 700',
  );
  const verified = await machine.run('systemd-analyze verify miftah.service miftah.socket');
  expect(verified).toEqual({ code: 0, out: '', err: '' });
  expect(await machine.expect('dpkg --verify miftah-full')).toBe('');
  expect(await machine.expect('miftah --version; miftah-admin --version')).toMatch(/^(\S+)\n\1$/);
  // What messages of the programs name.
  const page = '/usr/share/doc/miftah/docs/going-live.md';
  expect(await machine.expect(`head -n 1 ${page}`)).toBe('# Going live');
  // The running copy has the very files that dpkg verifies.
  const ofNode = 'stat -L -c %i /opt/miftah/bin/node /usr/lib/miftah/package/bin/node';
  expect(await machine.expect(ofNode)).toMatch(/^(\d+)\n\1$/);
});

test('it is upgraded while it runs, and what was issued stays good', async () => {
  const at = shared();
  if (at === null) return;
  const { machine } = at;
  await machine.expect('cat > /etc/miftah/miftah.env', 'ALLOW_SIMULATOR=yes\nMETRICS_PORT=9464\n');
  await machine.expect('echo "DATA_DIR=/var/lib/miftah" >> /etc/miftah/miftah.env');
  await machine.expect(
    `(umask 077; /opt/miftah/bin/node -p 'crypto.randomBytes(32).toString("hex")' > /etc/miftah/secrets/secret-key)
     systemd-tmpfiles --create miftah.conf; systemctl enable --now miftah`,
  );
  await ready(machine);
  const login = JSON.parse(await machine.expect('miftah login --approve --json')) as {
    token: string;
  };
  token = login.token;
  const before = await stateOf(machine);
  // Unpacking takes long on a busy disk. Nobody notices it, and what starts meanwhile is the old one.
  await machine.expect(UNPACK);
  expect(await statusOf(machine)).toBe('200');
  expect((await machine.run(LOOK)).out).toContain('store.integrity');
  expect(await machine.expect(BACK_UP)).toContain('is a whole copy');
  expect((await stateOf(machine))['MainPID']).toBe(before['MainPID']);
  await machine.expect('rm /var/backups/miftah/before-*.db');
  // The same process has run up to here, so a gap can only be in what follows.
  await machine.expect(`systemd-run --unit=asker /opt/miftah/bin/node -e "${ASK_ON}"`);
  await machine.expect('systemctl restart miftah');
  await ready(machine);
  const running = await stateOf(machine);
  await machine.expect(CONFIGURE);
  await ready(machine);
  await machine.expect('systemctl kill --signal=TERM --kill-whom=main asker');
  const asked = () => machine.expect('journalctl --no-pager -o cat -u asker');
  await expect.poll(asked).toMatch(/^[1-9]\d* asked, 0 without an answer$/m);
  expect(await machine.expect("dpkg-query -W -f '${Version} ${Status}' miftah-full")).toBe(
    '0.1.1~rc.1 install ok installed',
  );
  const after = await stateOf(machine);
  expect(after['MainPID']).not.toBe(running['MainPID']);
  // The one that asked ran from the release of before, which is there until the next upgrade.
  expect(await machine.expect(RELEASES)).toBe('2');
  expect(after).toMatchObject({ ActiveState: 'active', NRestarts: '0', UnitFileState: 'enabled' });
  expect(await statusOf(machine)).toBe('200');
});

test('the version before is installed as a later one is, and what was stopped stays so', async () => {
  const at = shared();
  if (at === null) return;
  const { machine } = at;
  await machine.expect('systemctl stop miftah');
  // In the place of an unpacked one.
  await machine.expect('dpkg --unpack /srv/miftah-full_0.1.1*.deb');
  await machine.expect('dpkg -i /srv/miftah-full_0.1.0_*.deb');
  expect(await stateOf(machine)).toMatchObject({ ActiveState: 'inactive' });
  await machine.expect('systemctl start miftah');
  await ready(machine);
  expect(await statusOf(machine)).toBe('200');
  expect(await machine.expect(RELEASES)).toBe('1');
});

test('the audit log for other tools has its faults in the journal', async () => {
  const at = shared();
  if (at === null) return;
  const { machine } = at;
  const folder = '/var/lib/miftah-audit';
  await machine.expect('systemctl start miftah-audit');
  // A start leaves a blank line, in case that the last one was not whole.
  const rows = async () => (await machine.run(`grep . ${folder}/audit.jsonl`)).out;
  await expect.poll(rows).toContain('"token.issued"');
  // As a restore leaves it: the log has no row like that of the cursor.
  await machine.expect(
    `systemctl stop miftah-audit; echo "99999 ${'A'.repeat(43)}" > ${folder}/cursor`,
  );
  const before = await rows();
  await machine.expect('systemctl start miftah-audit');
  const journal = () => machine.expect('journalctl --no-pager -o cat -u miftah-audit');
  await expect.poll(journal).toContain(`Remove ${folder}/cursor`);
  expect(await rows()).toBe(before);
  await machine.expect(`systemctl stop miftah-audit; rm ${folder}/cursor ${folder}/audit.jsonl`);
});

test('a changed clients file has whoever changed it in the audit log', async () => {
  const at = shared();
  if (at === null) return;
  const { machine } = at;
  // Of the service, which reads no such file here.
  const added = await machine.run(
    `CLIENTS_FILE=/etc/shop.json miftah-admin client add shop --name-ar متجر --name-en Shop \
       --return-address https://shop.example.test/ --reason 'ticket 4711'`,
  );
  expect(added, added.err).toMatchObject({ code: 0, err: '' });
  const row = await machine.expect('miftah-admin audit --json --action client.added');
  expect(JSON.parse(row)).toMatchObject({ client: 'shop', reason: 'ticket 4711' });
  expect(row).toContain('"actor":"uid:0(root)');
  // The files of the store are still the service's.
  expect(await machine.expect('find /var/lib/miftah ! -user miftah')).toBe('');
});

test('the other package takes its place, and a purge of the first one takes nothing away', async () => {
  const at = shared();
  if (at === null) return;
  const { machine } = at;
  const folders = 'ls -d /etc/miftah/secrets /var/lib/miftah* /var/backups/miftah';
  const before = await machine.expect(folders);
  await machine.expect('dpkg -i /srv/miftah_0.1.1*.deb');
  await ready(machine);
  expect(await statusOf(machine)).toBe('200');
  const { code, err } = await machine.run('dpkg --purge miftah-full');
  expect([code, err]).toEqual([0, '']);
  expect(await stateOf(machine)).toMatchObject({ ActiveState: 'active', UnitFileState: 'enabled' });
  expect(await machine.expect(folders)).toBe(before);
});

test('an upgrade that was killed is finished by the next one', async () => {
  const at = shared();
  if (at === null) return;
  const { machine } = at;
  // As it is killed after the copy, before anything is restarted.
  await machine.expect('dpkg --unpack /srv/miftah_0.1.1*.deb; mkdir /usr/lib/miftah/releases/half');
  expect(await statusOf(machine)).toBe('200');
  await machine.expect('dpkg --configure --pending');
  await ready(machine);
  expect(await statusOf(machine)).toBe('200');
  expect(await machine.expect(RELEASES)).toBe('1');
});

test('it is removed and stopped, and comes back with all that it had', async () => {
  const at = shared();
  if (at === null) return;
  const { machine } = at;
  await machine.expect('dpkg --remove miftah');
  expect(await machine.expect("systemctl list-units --plain --no-legend 'miftah*'")).toBe('');
  for (const place of ['/opt/miftah', '/usr/lib/miftah']) {
    expect(await machine.run(`ls -d ${place}`)).toMatchObject({ code: 2 });
  }
  await machine.expect('dpkg -i /srv/miftah_0.1.1*.deb; systemctl start miftah');
  await ready(machine);
  expect(await statusOf(machine)).toBe('200');
});

test('a purge leaves no unit and keeps the people and their secrets, and says where', async () => {
  const at = shared();
  if (at === null) return;
  const { machine } = at;
  // A disk of one's own in the place of a folder, and a unit of one's own.
  await machine.expect(
    `rmdir /var/lib/miftah-audit; mkdir /var/own; ln -s /var/own /var/lib/miftah-audit
     printf '[Service]\\nExecStart=/bin/true\\n[Install]\\nWantedBy=multi-user.target\\n' \
       > /etc/systemd/system/miftah-own.service
     systemctl enable miftah-own`,
  );
  const { code, err } = await machine.run('dpkg --purge miftah');
  expect(code).toBe(0);
  const kept = '/etc/miftah/secrets /etc/miftah /var/lib/miftah /var/lib/miftah-audit';
  expect(err).toContain(`rm -r ${kept}; userdel miftah`);
  expect(await machine.expect('systemctl is-enabled miftah-own')).toBe('enabled');
  await machine.expect('systemctl disable miftah-own; rm /etc/systemd/system/miftah-own.service');
  expect(await machine.expect('ls /etc/miftah/secrets /var/lib/miftah')).toContain('miftah.db');
  expect(await machine.run('find / -xdev -name "*miftah*" -path "*systemd*"')).toMatchObject({
    out: '',
  });
  expect(await machine.run('dpkg-query -W miftah')).toMatchObject({ code: 1 });
});
