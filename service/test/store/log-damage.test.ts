import fs, {
  copyFileSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { atLength } from '../../../scripts/test-length.ts';
import { openSqliteStore, StoreOpenError } from '../../src/store/index.ts';
import { findLogDamage } from '../../src/store/sqlite/thread/log-damage.ts';
import { settingsOf } from '../../src/store/sqlite/open-sqlite-store.ts';
import { Writer } from '../../src/store/sqlite/thread/writer.ts';
import { seededRandom, chooseSeed, type SeededRandom } from '../support/faults/seeded-random.ts';
import { makeDirectory } from '../support/store/open-stores.ts';

const HEADER = 32;
const FRAME = 24 + 4096;
const SECTOR = 512;
const COMMITS = 8;
const LIVES = atLength(150, 60);

let folder: string;
let file: string;
let log: string;
let made: number;

beforeEach(() => {
  folder = makeDirectory();
  made = 0;
  use(folder);
  withDatabase((database) => {
    database.exec('PRAGMA journal_mode = WAL; CREATE TABLE things (content BLOB) STRICT');
  });
});

afterEach(() => rmSync(folder, { recursive: true }));

function use(directory: string): void {
  file = join(directory, 'miftah.db');
  log = `${file}-wal`;
}

/** Closing moves the log into the database and removes it, unless a copy is put back after it. */
function withDatabase(action: (database: DatabaseSync) => void): void {
  const database = new DatabaseSync(file);
  try {
    // The second statement reads, which makes the log.
    database.exec('PRAGMA wal_autocheckpoint = 0; PRAGMA schema_version');
    action(database);
  } finally {
    database.close();
  }
}

/** The files are left as a killed process leaves them. */
function withKilled(action: (database: DatabaseSync) => void): void {
  let left: readonly [Buffer, Buffer] | null = null;
  withDatabase((database) => {
    action(database);
    left = [readFileSync(file), readFileSync(log)];
  });
  const [database, frames] = left ?? [];
  if (database === undefined || frames === undefined) throw new Error('nothing was left');
  writeFileSync(file, database);
  writeFileSync(log, frames);
}

/** A commit of one frame more than the pages. */
function commit(database: DatabaseSync, pages: number): void {
  const content = new Uint8Array(pages * 4096).fill((made += 1));
  database.prepare('INSERT INTO things VALUES (?)').run(content);
}

function change(at: number): void {
  const bytes = readFileSync(log);
  bytes[at] = (bytes[at] ?? 0) ^ 0x40;
  writeFileSync(log, bytes);
}

/** Where the frame's page begins. */
function pageOf(frame: number): number {
  return HEADER + frame * FRAME + 24;
}

describe('a log of commits of one frame each', () => {
  beforeEach(() => {
    withKilled((database) => {
      commit(database, 0);
      for (let done = 1; done < COMMITS; done += 1) {
        database.exec(`UPDATE things SET content = x'0${done}'`);
      }
    });
  });

  test('has as many frames', () => {
    expect(statSync(log).size).toBe(HEADER + COMMITS * FRAME);
  });

  test('is not refused while it is whole', () => {
    expect(findLogDamage(log)).toBeNull();
  });

  test.each([
    ['a page', 24, 4],
    ['the number of a page', 3, 4],
    ['the mark of a commit', 4, 4],
    ['the salts', 9, 4],
    // The frame behind it does not follow from a damaged checksum either.
    ['the checksum', 17, 3],
  ])('is refused with a changed byte in %s of its third frame', (_, byte, commits) => {
    change(HEADER + 2 * FRAME + byte);
    expect(findLogDamage(log)).toEqual({ readable: HEADER + 2 * FRAME, commits });
  });

  test.each([0, 5, 10, 13, 17, 21])('is refused with byte %i of its header changed', (byte) => {
    change(byte);
    expect(findLogDamage(log)).toEqual({ readable: 0, commits: COMMITS - 1 });
  });

  test('is refused with a hole of three frames', () => {
    const bytes = readFileSync(log);
    writeFileSync(log, bytes.fill(0, HEADER + FRAME, HEADER + 4 * FRAME));
    expect(findLogDamage(log)).toEqual({ readable: HEADER + FRAME, commits: 2 });
  });

  test.each([1, 2])('is not refused with frame %i from its end changed', (fromEnd) => {
    change(pageOf(COMMITS - fromEnd));
    expect(findLogDamage(log)).toBeNull();
  });

  test.each([0, 1, HEADER, HEADER + 1, HEADER + 3 * FRAME, HEADER + 3 * FRAME + 100])(
    'is not refused when it is cut off after %i bytes',
    (length) => {
      truncateSync(log, length);
      expect(findLogDamage(log)).toBeNull();
    },
  );

  test('is not refused when it was shortened to the byte that is named', () => {
    change(pageOf(2));
    truncateSync(log, findLogDamage(log)?.readable);
    expect(findLogDamage(log)).toBeNull();
  });

  test('is refused by a start, which changes nothing', async () => {
    change(pageOf(2));
    const before = [readFileSync(file), readFileSync(log)];
    const opened = openSqliteStore({ directory: folder, onPoisoned: () => undefined });
    await expect(opened).rejects.toBeInstanceOf(StoreOpenError);
    await expect(opened).rejects.toHaveProperty('code', 'store.corrupt');
    await expect(opened).rejects.toThrow(
      'miftah.db-wal is damaged: it is whole up to byte 8272, and 4 or more commits follow. ',
    );
    expect([readFileSync(file), readFileSync(log)]).toEqual(before);
  });
});

test('a start flushes the log that a killed process left, before SQLite reads it', () => {
  withKilled((database) => commit(database, 0));
  const settings = settingsOf({ directory: folder, onPoisoned: () => undefined });
  const { ino } = statSync(log);
  const flushed: number[] = [];
  const flush = vi.spyOn(fs, 'fsyncSync').mockImplementation((descriptor) => {
    flushed.push(fs.fstatSync(descriptor).ino);
    throw new Error('the flush failed');
  });
  syncBuiltinESMExports();
  onTestFinished(() => {
    flush.mockRestore();
    syncBuiltinESMExports();
  });
  expect(() => new Writer({ ...settings, lockFile: null })).toThrow('the flush failed');
  expect(flushed).toEqual([ino]);
  expect(statSync(log).ino).toBe(ino);
});

test('no log is no damage', () => {
  expect(findLogDamage(log)).toBeNull();
});

test('the frames of a former log behind the current one are no damage', () => {
  withKilled((database) => {
    for (let done = 0; done < COMMITS; done += 1) commit(database, 2);
    database.exec('PRAGMA wal_checkpoint(PASSIVE)');
    commit(database, 0);
  });
  const length = statSync(log).size;
  expect(length).toBeGreaterThan(HEADER + COMMITS * FRAME);
  expect(findLogDamage(log)).toBeNull();
});

test('nothing that power cuts leave in one log is taken for damage', () => {
  const seed = chooseSeed();
  const random = seededRandom(seed);
  for (let life = 0; life < LIVES; life += 1) {
    writeFileSync(log, liveAndTear(random, 1));
    expect(findLogDamage(log), `life ${life}, TEST_SEED=${seed}`).toBeNull();
  }
});

test('that test would see it if commits did not wait for the flush of the one before them', () => {
  const random = seededRandom(chooseSeed());
  const found = Array.from({ length: 40 }, () => {
    writeFileSync(log, liveAndTear(random, 3));
    return findLogDamage(log);
  });
  expect(found.some((damage) => damage !== null)).toBe(true);
});

/** @returns the log after a power cut while the last commits were not flushed */
function liveAndTear(random: SeededRandom, unflushed: number): Buffer {
  let flushed = Buffer.alloc(0);
  withKilled((database) => {
    const commits = random.between(0, 4);
    for (let done = 0; done < commits; done += 1) commit(database, random.between(0, 6));
    if (random.chance(0.1)) database.exec('PRAGMA wal_checkpoint(PASSIVE)');
    flushed = readFileSync(log);
    for (let done = 0; done < unflushed; done += 1) commit(database, random.between(0, 12));
  });
  return tear(flushed, readFileSync(log), random);
}

/** Each sector as it was flushed, or as it was written last. The header is flushed by itself. */
function tear(flushed: Buffer, written: Buffer, random: SeededRandom): Buffer {
  const torn = Buffer.alloc(written.length);
  flushed.copy(torn);
  const share = random.pick([0.1, 0.5, 0.9]);
  for (let at = 0; at < written.length; at += SECTOR) {
    if (at === 0 || random.chance(share)) written.copy(torn, at, at, at + SECTOR);
  }
  return torn;
}

test('is quick for a log of 64 MiB', () => {
  withKilled((database) => {
    commit(database, 0);
    commit(database, 16_000);
  });
  copyFileSync(log, `${log}.copy`);
  const begin = performance.now();
  expect(findLogDamage(log)).toBeNull();
  console.log(`a log of ${statSync(log).size} bytes: ${Math.round(performance.now() - begin)} ms`);
});
