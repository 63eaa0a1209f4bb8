import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { text } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../support/at-end.ts';
import { mountSmallDisk } from '../support/faults/small-disk.ts';
import { ask, emptyDatabase } from '../support/postgres/databases.ts';
import { sharedServer } from '../support/postgres/door.ts';
import { ApiClient } from '../support/programs/api-client.ts';
import { diagnosisIn, severityOf, type Diagnosis } from '../support/programs/diagnosis.ts';
import { runMiftah, type Said } from '../support/programs/operator.ts';
import { programFile } from '../../../scripts/program-files.ts';
import { openListening } from '../support/service/listening-service.ts';

/** What `miftah doctor` says of states that are made for real, and that it says something of each. */

type Settings = Record<string, string>;

const SECRET_KEY = 'ab'.repeat(32);
const PASSWORD = 'hunter2';
/** A user without a name, to whom nothing belongs. */
const STRANGER = 61_234;

/** A program of root without its right to open everything, which finds this checkout anywhere. */
async function bound(program: 'miftah' | 'service', args: string[], env: Settings): Promise<Said> {
  const rights = '--bounding-set=-dac_override,-dac_read_search';
  const command = [rights, process.execPath, programFile(program), ...args];
  const child = spawn('setpriv', command, { env });
  const said = Promise.all([text(child.stdout), text(child.stderr)]);
  const [code] = (await once(child, 'exit')) as [number | null];
  const [out, err] = await said;
  return { code, out, err };
}

async function examine(settings: Settings): Promise<Diagnosis> {
  return diagnosisIn(await runMiftah(['doctor', '--json'], settings));
}

function textOf({ findings }: Diagnosis, check: string): string {
  const found = findings.filter((one) => one.check === check);
  return found.map(({ what, remedy }) => `${what} ${remedy}`).join('\n');
}

/** A service that runs, and in which somebody signs in, and that is stopped. */
async function useOnce(settings: Settings): Promise<void> {
  const service = await openListening({ settings });
  const api = new ApiClient(service.origin);
  const started = await api.start({ locale: 'en', national_id: '1000001101' });
  await api.post('/complete-mfa', { attempt_id: started.attempt_id });
  await api.token(started);
  api.close();
  await service.stop();
}

describe('miftah doctor', () => {
  test('data.space: finds a full disk, and one that is soon full', async () => {
    const disk = mountSmallDisk(8);
    if (disk === null) return console.error('left out: a full disk needs root on Linux');
    onTestFinished(() => disk.unmount());
    const settings = { DATA_DIR: disk.folder };
    disk.fill();
    const full = await examine(settings);
    expect([full.code, severityOf(full, 'data.space')]).toEqual([1, ['fault']]);
    expect(textOf(full, 'data.space')).toMatch(/ has 0\.0 MiB left, so nothing can be written\./);
    const start = await bound('service', [], { ...settings, SECRET_KEY });
    expect(start.code).toBe(1);
    expect(start.err).toMatch(/takes no files: .*: free some space/);
    expect(start.err).not.toContain('Set DATA_DIR');
    disk.free();
    expect(severityOf(await examine(settings), 'data.space')).toEqual(['warning']);
    const roomy = await examine({ DATA_DIR: temporaryFolder('roomy') });
    expect(severityOf(roomy, 'data.space')).toEqual(['ok']);
  });

  test('store.binding: a start in the place of a lost store leaves a new one, and a restore says so', async () => {
    const [DATA_DIR, others] = [temporaryFolder('lost'), temporaryFolder('others')];
    const settings = { DATA_DIR, SECRET_KEY, AUDIT_HEAD_FILE: join(others, 'head') };
    await useOnce(settings);
    const backup = join(others, 'backup.db');
    expect((await runMiftah(['backup', backup], settings)).code).toBe(0);
    for (const end of ['', '-wal', '-shm']) {
      rmSync(join(DATA_DIR, `miftah.db${end}`), { force: true });
    }
    await expect(useOnce(settings)).rejects.toThrow();
    const found = await examine(settings);
    expect([found.code, severityOf(found, 'store.binding')]).toEqual([1, ['warning']]);
    expect(textOf(found, 'store.binding')).toMatch(/The store is new: .* its store is missing/);
    expect(found.out).not.toContain('Set another DATA_DIR');
    const said = await runMiftah(['restore', backup], settings);
    expect(said, said.err).toMatchObject({ code: 0, err: '' });
    expect(said.out).toContain('The store in DATA_DIR was new, and nothing had happened in it');
    expect(said.out).not.toContain('its audit log has what has happened since');
    await useOnce(settings);
  });

  test('data.folder: says that the folder is of another user', async () => {
    if (process.platform !== 'linux' || process.getuid?.() !== 0) {
      return console.error('left out: another user needs root on Linux');
    }
    const folder = temporaryFolder('others');
    await useOnce({ DATA_DIR: folder });
    chmodSync(folder, 0o700);
    chownSync(folder, STRANGER, STRANGER);
    const found = diagnosisIn(await bound('miftah', ['doctor', '--json'], { DATA_DIR: folder }));
    expect([found.code, severityOf(found, 'data.folder')]).toEqual([1, ['fault']]);
    expect(textOf(found, 'data.folder')).toContain(`is of the user ${STRANGER}, and this command`);
    expect(textOf(found, 'store.open')).toMatch(/EACCES.*sudo -u USER/);
  });

  test('store.open: a file that its user may not write, or that another user has made', async () => {
    if (process.platform !== 'linux' || process.getuid?.() !== 0) {
      return console.error('left out: rights of files need root on Linux');
    }
    const settings = { DATA_DIR: temporaryFolder('closed') };
    await useOnce(settings);
    const store = join(settings.DATA_DIR, 'miftah.db');
    chmodSync(store, 0o400);
    const own = diagnosisIn(await bound('miftah', ['doctor', '--json'], settings));
    expect([own.code, severityOf(own, 'store.open')]).toEqual([1, ['fault']]);
    expect(textOf(own, 'store.open')).toMatch(/miftah\.db may not be read.* Run: chmod 600 \S+\.$/);
    for (const said of [
      await bound('service', [], settings),
      await bound('miftah', ['revoke', '--all'], settings),
    ]) {
      expect(said.err).toMatch(/miftah\.db may not be read and written .*: run: chmod 600 \S+\s+$/);
    }
    chmodSync(store, 0o600);
    writeFileSync(`${store}-wal`, '', { mode: 0o600 });
    chownSync(`${store}-wal`, STRANGER, STRANGER);
    const foreign = diagnosisIn(await bound('miftah', ['doctor', '--json'], settings));
    expect(severityOf(foreign, 'store.open')).toEqual(['fault']);
    expect(textOf(foreign, 'store.open')).toMatch(/-wal may not be .* Give it .*chown/);
    expect(textOf(foreign, 'store.open')).not.toContain('backup');
  });

  test('a folder of another user takes no key: a start says so by the name of the key', async () => {
    if (process.platform !== 'linux' || process.getuid?.() !== 0) {
      return console.error('left out: rights of files need root on Linux');
    }
    const settings = { DATA_DIR: temporaryFolder('readable') };
    chmodSync(settings.DATA_DIR, 0o500);
    const { code, err } = await bound('service', [], settings);
    expect(code).toBe(1);
    expect(err).toMatch(/secret\.key can't be made: its folder takes no files .*\(EACCES\)\. Set/);
  });

  test('store.rights: a role with the documented grant serves, and is found right', async () => {
    const url = await emptyDatabase();
    const head = join(temporaryFolder('head'), 'head');
    const own = { DATABASE_URL: url, SECRET_KEY, DATA_DIR: temporaryFolder('owner') };
    expect(await runMiftah(['migrate'], own)).toMatchObject({ code: 0 });
    const role = `${(await sharedServer()).run}_doctor_served`;
    await ask(url, `CREATE ROLE ${role} LOGIN PASSWORD '${PASSWORD}'`);
    onTestFinished(() =>
      ask(url, `DROP OWNED BY ${role}; DROP ROLE ${role}`).then(() => undefined),
    );
    await ask(
      url,
      `GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO ${role}`,
    );
    const granted = new URL(url);
    granted.username = role;
    granted.password = PASSWORD;
    const settings = {
      DATABASE_URL: granted.href,
      SECRET_KEY,
      DATA_DIR: temporaryFolder('granted'),
      AUDIT_HEAD_FILE: head,
    };
    await useOnce(settings);
    expect(existsSync(head) && readFileSync(head, 'utf8')).not.toBe('');
    const found = await examine(settings);
    expect(found.findings.filter(({ severity }) => severity === 'fault')).toEqual([]);
    expect(severityOf(found, 'store.rights')).toEqual(['ok']);
    expect(severityOf(found, 'audit.head')).toEqual(['ok']);
  });

  test('audit.chain: says after a rotation which key the beginning of the log needs', async () => {
    const folder = temporaryFolder('rotated');
    const before = { DATA_DIR: folder, SECRET_KEY };
    await useOnce(before);
    const after = { DATA_DIR: folder, SECRET_KEY: 'cd'.repeat(32) };
    const both = { ...after, RETIRED_SECRET_KEYS: SECRET_KEY };
    await useOnce(both);
    expect(await runMiftah(['keys', 'rotate'], both)).toMatchObject({ code: 0 });
    expect(severityOf(await examine(both), 'audit.chain')).toEqual(['ok']);
    const found = await examine(after);
    expect(severityOf(found, 'store.key')).toEqual(['ok']);
    expect(severityOf(found, 'audit.chain')).toEqual(['fault']);
    const said = textOf(found, 'audit.chain');
    expect(said).toMatch(/can be proved neither by SECRET_KEY nor by a retired key\./);
    expect(said).not.toContain('not whole');
  });
});

function someFile(): string {
  const path = join(temporaryFolder('state'), 'file');
  writeFileSync(path, 'x');
  return path;
}

/** A folder with a folder in the place of one of its files. */
function withFolder(name: string): string {
  const folder = temporaryFolder('state');
  mkdirSync(join(folder, name));
  return folder;
}

describe('miftah doctor never ends without findings', () => {
  test.each<[string, () => Settings]>([
    ['DATA_DIR is a file', () => ({ DATA_DIR: someFile() })],
    ['DATA_DIR is below a file', () => ({ DATA_DIR: join(someFile(), 'data') })],
    ['DATA_DIR is a device', () => ({ DATA_DIR: '/dev/null' })],
    ['DATA_DIR is where nothing can be', () => ({ DATA_DIR: '/proc/x' })],
    ['the store is a folder', () => ({ DATA_DIR: withFolder('miftah.db') })],
    ['the key is a folder', () => ({ DATA_DIR: withFolder('secret.key') })],
    [
      'the head is a folder',
      () => ({ DATA_DIR: temporaryFolder('state'), AUDIT_HEAD_FILE: temporaryFolder('state') }),
    ],
    [
      'the clients file is a folder',
      () => ({ DATA_DIR: temporaryFolder('state'), CLIENTS_FILE: temporaryFolder('state') }),
    ],
    [
      'nobody answers at DATABASE_URL',
      () => ({
        DATA_DIR: temporaryFolder('state'),
        SECRET_KEY,
        DATABASE_URL: 'postgres://nobody@127.0.0.1:9/nothing',
      }),
    ],
  ])('%s', async (_, settings) => {
    const found = await examine(settings());
    expect(found.err).toMatch(/^(?:Findings: .*\n)?$/);
    expect(found.findings.length).toBeGreaterThan(1);
    for (const { severity, remedy } of found.findings) {
      if (severity !== 'ok') expect(remedy).toMatch(/^[A-Z].{10,}/);
    }
  });
});
