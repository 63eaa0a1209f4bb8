import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { text } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { programFile } from '../../../scripts/program-files.ts';
import { temporaryFolder } from '../support/at-end.ts';
import { mountSmallDisk } from '../support/faults/small-disk.ts';
import { runMiftah, type Said } from '../support/programs/operator.ts';
import { openListening } from '../support/service/listening-service.ts';

/** What is in the folder of `miftah backup --into`, and in that of the store, and who may change it. */

const KEY = { SECRET_KEY: 'ab'.repeat(32) };
const SOMEBODY = 12_345;
const isRoot = process.platform === 'linux' && process.getuid?.() === 0;
const WITHOUT_ROOT = 'LEFT OUT: only root on Linux can do this';

/** A store that no service uses any more. */
async function stoppedStore(dataDir = temporaryFolder('store')) {
  const settings = { ...KEY, DATA_DIR: dataDir };
  await (await openListening({ settings })).stop();
  return { dataDir, run: (...args: string[]) => runMiftah(args, settings) };
}

const filesIn = (folder: string) =>
  readdirSync(folder)
    .filter((name) => name !== 'miftah.lock')
    .toSorted();

function smallDisk(megabytes: number) {
  const disk = mountSmallDisk(megabytes);
  if (disk !== null) onTestFinished(() => disk.unmount());
  return disk;
}

test('a backup makes no folder in one that is not there, such as a mistyped one', async () => {
  const { run } = await stoppedStore();
  const typed = join(temporaryFolder('backups'), 'bakcups', 'daily');
  const refused = await run('backup', '--into', typed);
  expect(refused).toMatchObject({ code: 1, out: '' });
  expect(refused.err).toContain('bakcups is not there: make it first');
  expect(existsSync(join(typed, '..'))).toBe(false);
});

test('a folder that this user may not write is named as that of the backup', async () => {
  if (!isRoot) return console.warn(WITHOUT_ROOT);
  const { dataDir } = await stoppedStore();
  const closed = temporaryFolder('closed');
  chmodSync(closed, 0o500);
  const [file, folder] = [join(closed, 'one.db'), join(closed, 'daily')];
  for (const [places, what] of [
    [
      [file],
      `the backup can't be made: ${file}: this user may not do that (EACCES): name a folder`,
    ],
    [['--into', folder], `the folder of the backup, ${folder}, can't be made, or takes no files: `],
    [['--into', closed], `the folder of the backup, ${closed}, can't be made, or takes no files: `],
  ] as const) {
    const { code, out, err } = await withoutRights(['backup', ...places], dataDir);
    expect([code, out]).toEqual([1, '']);
    expect(err).toContain(what);
    expect(err).toContain('for `miftah-admin` that is /var/backups/miftah');
    expect(err).not.toMatch(/DATA_DIR|sudo -u USER/);
  }
  expect(filesIn(closed)).toEqual([]);
});

/** A program of root without its right to write everywhere. */
async function withoutRights(args: readonly string[], dataDir: string): Promise<Said> {
  const rights = '--bounding-set=-dac_override,-dac_read_search';
  const command = [rights, process.execPath, programFile('miftah'), ...args];
  const child = spawn('setpriv', command, { env: { ...KEY, DATA_DIR: dataDir } });
  const said = Promise.all([text(child.stdout), text(child.stderr)]);
  const [code] = (await once(child, 'exit')) as [number | null];
  const [out, err] = await said;
  return { code, out, err };
}

describe('without space for a backup', () => {
  test('none begins, and one that fails all the same keeps no copy of its own there', async () => {
    const disk = smallDisk(8);
    if (disk === null) return console.warn(WITHOUT_ROOT);
    const { run } = await stoppedStore();
    const folder = join(disk.folder, 'backups');
    expect(await run('backup', '--into', folder)).toMatchObject({ code: 0, err: '' });
    const [good = ''] = filesIn(folder);
    const { size } = statSync(join(folder, good));

    disk.fill(size * 1.5);
    const early = await run('backup', '--into', folder);
    expect([early.code, early.err]).toEqual([
      1,
      expect.stringContaining(`there is no space for a backup in ${folder}`),
    ]);
    expect(filesIn(folder)).toEqual([good]);
    disk.free();

    // Enough for the two copies, and not for the index of a log beside the second one.
    disk.fill(size * 2 + 20_000);
    const late = await run('backup', '--into', folder);
    expect([late.code, late.err]).toEqual([
      1,
      expect.stringContaining(`There is no space in ${folder} to keep it`),
    ]);
    expect(filesIn(folder)).toEqual([good]);
    disk.free();
    expect(await run('backup', '--into', folder)).toMatchObject({ code: 0, err: '' });
  });

  test('the fault names the store where that can not be read on a full disk', async () => {
    const disk = smallDisk(8);
    if (disk === null) return console.warn(WITHOUT_ROOT);
    const { run, dataDir } = await stoppedStore(join(disk.folder, 'data'));
    rmSync(join(dataDir, 'miftah.db-shm'), { force: true });
    disk.fill();
    const folder = temporaryFolder('backups');
    for (const place of [[join(folder, 'one.db')], ['--into', folder]]) {
      const { code, err } = await run('backup', ...place);
      expect(code).toBe(1);
      expect(err).toContain(`${join(dataDir, 'miftah.db')} could not be read`);
      expect(err).toContain('free some space on that disk');
    }
    expect(filesIn(folder)).toEqual([]);
  });
});

describe('threat 139: good backups are pushed out by', () => {
  test('files that have only the names of copies, and times after the new one', async () => {
    const { run } = await stoppedStore();
    const folder = temporaryFolder('backups');
    await run('backup', '--into', folder);
    const [good = ''] = filesIn(folder);
    const days = ['01', '02', '03', '04', '05', '06', '07', '08'];
    const empty = days.map((day) => `miftah-202501${day}T000000Z.db`);
    const later = days.map((day) => `miftah-209901${day}T000000Z.db`);
    for (const name of [...empty, ...later]) writeFileSync(join(folder, name), '');
    writeFileSync(join(folder, later[0] ?? ''), 'SQLite format 3\0');
    const second = await run('backup', '--into', folder, '--daily', '2', '--weekly', '0');
    expect(second).toMatchObject({ code: 0, err: '' });
    // Both are of today, or the first one is of yesterday, at midnight.
    const made = filesIn(folder).filter((name) => ![...empty, ...later, good].includes(name));
    expect(made).toHaveLength(1);
    expect(filesIn(folder)).toEqual(expect.arrayContaining([...empty, ...later]));
  });
});

describe('the folder of backups', () => {
  test('has a name', async () => {
    const { run } = await stoppedStore();
    const said = await run('backup', '--into', '');
    expect([said.code, said.err]).toEqual([2, expect.stringContaining('--into names no folder')]);
  });

  test('is not DATA_DIR by another name', async () => {
    const { run, dataDir } = await stoppedStore();
    const link = join(temporaryFolder('link'), 'link');
    symlinkSync(dataDir, link);
    mkdirSync(join(dataDir, 'restoring'));
    const before = readdirSync(dataDir);
    const said = await run('backup', '--into', link);
    expect([said.code, said.err]).toEqual([1, expect.stringContaining('is DATA_DIR')]);
    expect(readdirSync(dataDir)).toEqual(before);
  });

  test('can not be changed by every user, and a warning says who else could', async () => {
    const { run } = await stoppedStore();
    const folder = temporaryFolder('backups');
    chmodSync(folder, 0o777);
    const open = await run('backup', '--into', folder);
    expect([open.code, open.err]).toEqual([
      1,
      expect.stringContaining(`other users may write into ${folder}`),
    ]);
    expect(filesIn(folder)).toEqual([]);
    chmodSync(folder, 0o770);
    const group = await run('backup', '--into', folder);
    expect(group.code).toBe(0);
    if (isRoot) expect(group.err).toContain(`Warning: other users may write into ${folder}`);
    expect(filesIn(folder)).toHaveLength(1);
  });

  test('keeps nothing of a run that was killed', async () => {
    const { run } = await stoppedStore();
    const folder = temporaryFolder('backups');
    for (const name of ['untried.db', 'untried.db-journal', 'refused.db', 'refused.db-journal']) {
      writeFileSync(join(folder, name), 'half a copy');
    }
    expect(await run('backup', '--into', folder)).toMatchObject({ code: 0, err: '' });
    expect(filesIn(folder)).toEqual([expect.stringMatching(/^miftah-\d{8}T\d{6}Z\.db$/)]);
  });
});

test('a store of another user is not copied, also by root', async () => {
  if (!isRoot) return console.warn(WITHOUT_ROOT);
  const { run, dataDir } = await stoppedStore();
  for (const name of readdirSync(dataDir)) chownSync(join(dataDir, name), SOMEBODY, SOMEBODY);
  chownSync(dataDir, SOMEBODY, SOMEBODY);
  const copy = join(temporaryFolder('backups'), 'copy.db');
  const said = await run('backup', copy);
  expect([said.code, said.err]).toEqual([
    1,
    expect.stringContaining(`belongs to another user (${SOMEBODY})`),
  ]);
  expect(existsSync(copy)).toBe(false);
});
