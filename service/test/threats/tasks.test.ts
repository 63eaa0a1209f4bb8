import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  statSync,
  symlinkSync,
  watch,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, onTestFinished, test } from 'vitest';
import { COMPILE_CACHE } from '../../../scripts/compile-cache.mjs';
import { programFile } from '../../../scripts/program-files.ts';
import { lockFolder } from '../../src/store/index.ts';
import { temporaryFolder } from '../support/at-end.ts';
import { alter, copyStore } from '../support/attacks/damaged-store.ts';
import { mountSmallDisk } from '../support/faults/small-disk.ts';
import { seriesOf } from '../support/metrics/series.ts';
import { emptyDatabase } from '../support/postgres/databases.ts';
import { clientForTest } from '../support/programs/for-test.ts';
import { runMiftah } from '../support/programs/operator.ts';
import { openListening, type ListeningService } from '../support/service/listening-service.ts';

/** What an operator's timers run: backup, verification and doctor, each with its last success. */

const METRIC = 'miftah_last_success_timestamp_seconds';
const KEY = { SECRET_KEY: 'ab'.repeat(32) };
const NEW = /^miftah-20\d{6}T\d{6}Z\.db$/;

async function open(more: Record<string, string> = {}) {
  const dataDir = temporaryFolder('tasks');
  const settings = { ...KEY, DATA_DIR: dataDir, ...more };
  const service = await openListening({ settings });
  return { dataDir, settings, service, run: (...args: string[]) => runMiftah(args, settings) };
}

/** Somebody signs in, so that the store has people. */
async function signIn(service: ListeningService): Promise<void> {
  const client = clientForTest(service);
  const attempt = await client.start({ national_id: '1000001101', locale: 'en' });
  await client.post('/complete-mfa', { attempt_id: attempt.attempt_id });
  await client.token(attempt);
}

/** When each task has last gone well, in seconds. */
async function successesAt({ origin }: ListeningService): Promise<Record<string, number>> {
  const text = await (await fetch(`${origin}/metrics`)).text();
  const found = seriesOf(text).filter(({ name }) => name === METRIC);
  return Object.fromEntries(found.map(({ labels, value }) => [labels['task'] ?? '', value]));
}

/** The service has looked again. */
async function later({ origin }: ListeningService, advance = '61s'): Promise<void> {
  const moved = await fetch(`${origin}/simulator/clock`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ advance }),
  });
  expect(moved.ok).toBe(true);
}

async function successes(service: ListeningService): Promise<Record<string, number>> {
  await later(service);
  return successesAt(service);
}

/** How far the reader of the audit log is behind; null where nobody has said who reads it. */
async function behindAt({ origin }: ListeningService): Promise<number | null> {
  const text = await (await fetch(`${origin}/metrics`)).text();
  const found = seriesOf(text).find(({ name }) => name === 'miftah_audit_stream_behind_seconds');
  return found?.value ?? null;
}

/** Above a time of before the commands, and not of the moved clock. */
const recently = (from: number): unknown =>
  expect.toSatisfy((at: number) => at >= from && at < from + 3600);

/** How a copy begins; nothing else of it is looked at. */
const DATABASE = 'SQLite format 3\0';

const day = (text: string) => `miftah-${text}T021500Z.db`;

const backupsIn = (folder: string) => readdirSync(folder).filter((name) => NEW.test(name));

/** Whether a backup can be restored, in a folder of its own. */
async function restored(file: string): Promise<void> {
  const DATA_DIR = temporaryFolder('restored');
  const { code, err } = await runMiftah(['restore', file], { ...KEY, DATA_DIR });
  expect(code, err).toBe(0);
}

describe('the last success of a task', () => {
  test('is in the numbers of a service on a file, and 0 before', async () => {
    const { service, run, settings } = await open();
    const from = Math.floor(Date.now() / 1000);
    expect(await successes(service)).toEqual({ backup: 0, verify: 0, doctor: 0 });
    expect(await run('audit', '--verify')).toMatchObject({ code: 0 });
    expect(await run('doctor')).toMatchObject({ code: 0 });
    expect(await successes(service)).toEqual({ backup: 0, verify: 0, doctor: 0 });
    expect(await run('audit', '--verify', '--record')).toMatchObject({ code: 0 });
    expect(await run('doctor', '--record')).toMatchObject({ code: 0 });
    const made = await run('backup', '--into', temporaryFolder('backups'));
    expect(made).toMatchObject({ code: 0, err: '' });
    const all = { backup: recently(from), verify: recently(from), doctor: recently(from) };
    expect(await successes(service)).toEqual(all);
    await service.stop();
    const again = await openListening({ settings });
    const text = await (await fetch(`${again.origin}/metrics`)).text();
    expect(text).toMatch(new RegExp(`^${METRIC}{task="backup"} 1\\d{9}`, 'm'));
  });

  test('is told by every instance on a database, whose backup is made elsewhere', async () => {
    const url = await emptyDatabase();
    const { service, run, settings } = await open({ DATABASE_URL: url });
    const from = Math.floor(Date.now() / 1000);
    const never = { verify: 0, doctor: 0 };
    await expect.poll(() => successesAt(service)).toEqual(never);
    expect(await run('audit', '--verify', '--record')).toMatchObject({ code: 0 });
    const refused = await run('backup', '--into', temporaryFolder('backups'));
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('pg_dump')]);
    // Each reads at its start, and each minute.
    const start = () =>
      openListening({ settings: { ...settings, DATA_DIR: temporaryFolder('tasks') } });
    const second = await start();
    await expect.poll(() => successesAt(second)).toEqual({ ...never, verify: recently(from) });
    expect(await run('backup', '--elsewhere')).toMatchObject({ code: 0 });
    const third = await start();
    await expect.poll(() => successesAt(third)).toMatchObject({ backup: recently(from) });
    const { out } = await run('audit', '--json', '--action', 'store.backed_up');
    expect(out).toContain('"detail":"elsewhere"');
  });

  test('threat 139: is not what somebody without the key has written into the database', async () => {
    const { service, run, settings, dataDir } = await open();
    expect(await run('audit', '--verify', '--record')).toMatchObject({ code: 0 });
    await service.stop();
    alter(dataDir, "UPDATE audit_log SET at = at + 1 WHERE action = 'audit.verified'");
    const again = await openListening({ settings });
    expect(await successes(again)).toMatchObject({ verify: 0 });
    const verified = await run('audit', '--verify', '--record');
    expect(verified.code).toBe(1);
    expect(await successes(again)).toMatchObject({ verify: 0 });
  });

  test('of the doctor needs a doctor without faults', async () => {
    const { service, run } = await open({ AUDIT_HEAD_FILE: join(temporaryFolder('head'), 'head') });
    const faulty = await runMiftah(['doctor', '--record'], {
      ...service.settings,
      ...KEY,
      AUDIT_HEAD_FILE: '/not/there/head',
    });
    expect(faulty.code).toBe(1);
    expect(await successes(service)).toMatchObject({ doctor: 0 });
    const wrong = await run('doctor', '--record', '--against', 'http://127.0.0.1:9');
    expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining('--record is not for')]);
    const other = await run('audit', '--record');
    expect([other.code, other.err]).toEqual([2, expect.stringContaining('belongs to --verify')]);
  });
});

describe('miftah backup --into', () => {
  test('makes a private copy that can be restored, and says so', async () => {
    const { service, run } = await open();
    await signIn(service);
    const folder = join(temporaryFolder('backups'), 'new');
    const { code, out, err } = await run('backup', '--into', folder);
    expect([code, err]).toEqual([0, '']);
    const [name = ''] = backupsIn(folder);
    expect(out).toContain(`${join(folder, name)} is a whole copy, with `);
    expect(out).toContain('A restore of it was tried.');
    expect(readdirSync(folder).toSorted()).toEqual([name, 'miftah.lock']);
    expect([folder, join(folder, name)].map((path) => statSync(path).mode & 0o777)).toEqual([
      0o700, 0o600,
    ]);
    await restored(join(folder, name));
  });

  test('removes what it keeps no longer, and nothing that is not its own', async () => {
    const { run } = await open();
    const folder = temporaryFolder('backups');
    const old = ['20250101', '20250106', '20250107', '20250108'].map(day);
    for (const name of old) writeFileSync(join(folder, name), DATABASE);
    // Of a clock that was wrong once: it is the latest, and must push out none.
    writeFileSync(join(folder, day('20990101')), DATABASE);
    const others = ['miftah-2025-01-01.db', 'notes.txt', `${day('20250102')}.gz`];
    for (const name of others) writeFileSync(join(folder, name), '');
    mkdirSync(join(folder, day('20250103')));
    symlinkSync(join(folder, 'notes.txt'), join(folder, day('20250104')));
    const { code, out } = await run('backup', '--into', folder, '--daily', '0', '--weekly', '0');
    expect([code, out]).toEqual([0, expect.stringContaining('Removed 4 earlier ones.')]);
    const left = readdirSync(folder).filter((name) => name !== 'miftah.lock');
    const made = left.find((name) => NEW.test(name) && name > day('20260101')) ?? '';
    expect(left.toSorted()).toEqual(
      [...others, day('20250103'), day('20250104'), day('20990101'), made].toSorted(),
    );
    await restored(join(folder, made));
  });

  test.each([
    ['none of the places', []],
    ['two of them', ['file', '--elsewhere']],
  ])('says what is missing: %s', async (_, args) => {
    const said = await runMiftah(['backup', ...args], KEY);
    expect([said.code, said.err]).toEqual([2, expect.stringContaining('either a file, --into')]);
  });

  test('does not begin in the folder of the store, nor beside another one', async () => {
    const { run, dataDir } = await open();
    const own = await run('backup', '--into', dataDir);
    expect([own.code, own.err]).toEqual([1, expect.stringContaining('is DATA_DIR')]);
    const folder = temporaryFolder('backups');
    using _other = lockFolder(folder);
    const second = await run('backup', '--into', folder);
    expect([second.code, second.err]).toEqual([
      1,
      expect.stringContaining(`another backup is made in ${folder}`),
    ]);
  });
});

/** Overwrites the page in which the table of users begins. */
function damageUsers(file: string): void {
  const database = new DatabaseSync(file);
  const read = (sql: string) => Number(Object.values(database.prepare(sql).get() ?? {})[0]);
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  const page = read("SELECT rootpage FROM sqlite_schema WHERE name = 'users'");
  const size = read('PRAGMA page_size');
  database.close();
  const descriptor = openSync(file, 'r+');
  writeSync(descriptor, Buffer.alloc(size, 0xff), 0, size, (page - 1) * size);
  closeSync(descriptor);
}

/** A good one, which any further one would replace. */
async function withGood() {
  const AUDIT_HEAD_FILE = join(temporaryFolder('head'), 'head');
  const opened = await open({ AUDIT_HEAD_FILE });
  await signIn(opened.service);
  const folder = temporaryFolder('backups');
  expect((await opened.run('backup', '--into', folder)).code).toBe(0);
  const [made = ''] = backupsIn(folder);
  const good = 'miftah-20250101T021500Z.db';
  renameSync(join(folder, made), join(folder, good));
  const backUp = (settings: Record<string, string> = opened.settings) =>
    runMiftah(['backup', '--into', folder, '--daily', '1', '--weekly', '0'], settings);
  return { ...opened, folder, good, backUp };
}

/** The refused one stays for whoever looks for the reason, until the next run. */
async function expectRefused(
  { folder, good, settings }: Awaited<ReturnType<typeof withGood>>,
  said: Awaited<ReturnType<typeof runMiftah>>,
  why: string,
): Promise<void> {
  expect([said.code, said.out]).toEqual([1, '']);
  expect(said.err).toContain(why);
  expect(backupsIn(folder)).toEqual([good]);
  expect(existsSync(join(folder, 'restoring'))).toBe(false);
  await restored(join(folder, good));
  const rows = await runMiftah(['audit', '--action', 'store.backed_up'], settings);
  expect(rows.out.trim().split('\n')).toHaveLength(1);
}

/** Each would leave an operator with backups that are none, or without the last good one. */
describe('threat 139: a backup that can not be restored pushes out no good one, and is no success:', () => {
  test('a row of the audit log was changed', async () => {
    const scene = await withGood();
    await scene.service.stop();
    alter(scene.dataDir, 'UPDATE audit_log SET at = at + 1 WHERE sequence = 2');
    await expectRefused(scene, await scene.backUp(), 'Row 2');
    expect(existsSync(join(scene.folder, 'refused.db'))).toBe(true);
  });

  test('the key is another one', async () => {
    const scene = await withGood();
    await scene.service.stop();
    const other = { ...scene.settings, SECRET_KEY: 'cd'.repeat(32), AUDIT_HEAD_FILE: '' };
    const said = await scene.backUp(other);
    expect(said.code).toBe(1);
    await expectRefused(scene, said, 'refused');
  });

  test('the store is an older one than AUDIT_HEAD_FILE', async () => {
    const scene = await withGood();
    await scene.service.stop();
    const older = temporaryFolder('older');
    copyStore(scene.dataDir, older);
    const again = await openListening({ settings: scene.settings });
    await signIn(again);
    await again.stop();
    const said = await scene.backUp({ ...scene.settings, DATA_DIR: older });
    await expectRefused(scene, said, 'as AUDIT_HEAD_FILE has it');
  });

  test('a page of the store is damaged', async () => {
    const scene = await withGood();
    await scene.service.stop();
    const damaged = temporaryFolder('damaged');
    copyStore(scene.dataDir, damaged);
    damageUsers(join(damaged, 'miftah.db'));
    const said = await scene.backUp({ ...scene.settings, DATA_DIR: damaged });
    await expectRefused(scene, said, 'malformed');
  });

  test('there is no space for a second copy, and then there is', async () => {
    const disk = mountSmallDisk(4);
    if (disk === null) return console.warn('LEFT OUT: only root on Linux can mount a small disk');
    onTestFinished(() => disk.unmount());
    const scene = await withGood();
    const folder = join(disk.folder, 'backups');
    mkdirSync(folder, { mode: 0o700 });
    copyFileSync(join(scene.folder, scene.good), join(folder, scene.good));
    const small = statSync(join(folder, scene.good)).size;
    const backUp = () =>
      runMiftah(['backup', '--into', folder, '--daily', '1', '--weekly', '0'], scene.settings);
    // For the copy and not for the one that is tried, and then for neither.
    for (const left of [small * 1.5, small * 0.5]) {
      disk.fill(left);
      await expectRefused({ ...scene, folder }, await backUp(), '');
      disk.free();
    }
    expect(await backUp()).toMatchObject({ code: 0, err: '' });
    expect(backupsIn(folder)).toHaveLength(1);
    expect(readdirSync(folder).toSorted()).toEqual([...backupsIn(folder), 'miftah.lock']);
  });

  test.each(['untried.db', 'restoring'])(
    'it is killed when %s is there, and the next run removes what it left',
    async (name) => {
      const scene = await withGood();
      const watcher = watch(scene.folder);
      const args = ['backup', '--into', scene.folder, '--daily', '1', '--weekly', '0'];
      const child = spawn(process.execPath, [programFile('miftah'), ...args], {
        env: { NODE_COMPILE_CACHE: COMPILE_CACHE, ...scene.settings },
        stdio: 'ignore',
      });
      watcher.on('change', (_, changed) => void (changed === name && child.kill('SIGKILL')));
      await once(child, 'exit');
      watcher.close();
      // Also where it was quicker than the kill.
      mkdirSync(join(scene.folder, 'restoring'), { recursive: true });
      writeFileSync(join(scene.folder, 'restoring/miftah.db'), 'half a copy');
      writeFileSync(join(scene.folder, 'untried.db'), 'half a copy');
      for (const kept of backupsIn(scene.folder)) await restored(join(scene.folder, kept));
      expect(backupsIn(scene.folder).length).toBeGreaterThan(0);
      expect(await scene.backUp()).toMatchObject({ code: 0, err: '' });
      const left = readdirSync(scene.folder).filter((one) => one !== 'miftah.lock');
      expect(left).toEqual(backupsIn(scene.folder));
      expect(left).toHaveLength(1);
    },
  );
});

describe('how far the reader of the audit log is behind', () => {
  test('is the age of what it has not taken, and after a restore of all', async () => {
    const place = temporaryFolder('stream');
    const [AUDIT_CURSOR_FILE, copy] = [join(place, 'cursor'), join(place, 'backup.db')];
    const { service, run } = await open({ AUDIT_CURSOR_FILE });
    const read = () => run('audit', '--cursor', AUDIT_CURSOR_FILE);
    await later(service, '6m');
    expect(await behindAt(service)).toBeGreaterThanOrEqual(360);
    expect(await read()).toMatchObject({ code: 0 });
    expect(await run('backup', copy)).toMatchObject({ code: 0 });
    await later(service);
    expect(await behindAt(service)).toBe(0);

    await signIn(service);
    await later(service, '6m');
    expect(await behindAt(service)).toBeGreaterThanOrEqual(360);
    expect(await read()).toMatchObject({ code: 0 });
    await later(service);
    expect(await behindAt(service)).toBe(0);

    await service.stop();
    expect((await run('restore', copy)).out).toContain('docs/backup.md, step 4 of Restore');
    expect((await run('doctor')).out).toMatch(/^fault +audit\.stream/m);
    expect((await read()).err).toContain('The log does not have row');
  });

  test('has no number where AUDIT_CURSOR_FILE names none', async () => {
    const { service } = await open();
    await later(service);
    expect(await behindAt(service)).toBeNull();
  });
});
