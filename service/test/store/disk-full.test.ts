import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { AttemptRecord } from '../../src/attempt/attempt.ts';
import { Refusal } from '../../src/errors/refusal.ts';
import type { Store } from '../../src/store/ports/store.port.ts';
import { sampleAttempt, START } from '../conformance/samples.ts';
import { backUp, openSqliteStore } from '../../src/store/index.ts';
import { mountSmallDisk } from '../support/faults/small-disk.ts';
import { ChildStore } from '../support/store/programs/child-store.ts';
import { makeDirectory, openErrorOf, openSqlite } from '../support/store/open-stores.ts';

/** How often there has to be space, one look after the other. */
const LOOKS = 3;
/** Room for the empty tables and a few hundred attempts. */
const MAX_PAGES = 60;
const EVERYTHING = { expiredBefore: START * 2, redeemedBefore: START * 2, limit: 10_000 };

/** Writes until the store refuses. @returns what was acknowledged before */
async function fill(
  store: Store,
  most = Infinity,
): Promise<{ kept: AttemptRecord[]; refusal: unknown }> {
  const kept: AttemptRecord[] = [];
  for (;;) {
    if (kept.length === most) return { kept, refusal: null };
    const attempt = sampleAttempt();
    const refusal: unknown = await store.insertAttempt(attempt).then(
      () => null,
      (error: unknown) => error,
    );
    if (refusal !== null) return { kept, refusal };
    kept.push(attempt);
  }
}

test('S-4, S-31: a full disk refuses writes, keeps what it has, and works again with space', async () => {
  const { store, dispose } = await openSqlite({ maxPages: MAX_PAGES });
  const { kept, refusal } = await fill(store);
  expect(refusal).toBeInstanceOf(Refusal);
  expect(refusal).toMatchObject({ code: 'storage.unavailable' });
  expect(kept.length).toBeGreaterThan(0);
  const reason = 'there is no space to write: database or disk is full';
  expect(store.health()).toEqual({ ready: false, reason, isFull: true });
  for (const attempt of kept) {
    expect((await store.findAttempt(attempt.attemptId))?.attempt).toEqual(attempt);
  }
  expect((await store.purge(EVERYTHING)).attempts).toBe(kept.length);
  expect(store.health().ready, 'nobody has looked').toBe(false);
  for (let look = 1; look <= LOOKS; look += 1) await store.recover();
  expect(store.health()).toEqual({ ready: true });
  const again = await fill(store);
  expect(again.kept.length).toBeGreaterThan(kept.length / 2);
  await dispose();
});

/**
 * In blocks of 512 or 1024 bytes, depending on the shell: less than the 32 KiB of the log's index.
 */
const NO_ROOM_FOR_AN_INDEX = 20;

test('where there is no space for the index of the log, it is kept in memory', async () => {
  const directory = makeDirectory();
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const open = (asOperator: boolean) =>
    openSqliteStore({ directory, onPoisoned: () => undefined, asOperator });
  const store = await open(false);
  const { attemptId } = sampleAttempt();
  await store.insertAttempt({ ...sampleAttempt(), attemptId });
  await store.close();

  const limit = NO_ROOM_FOR_AN_INDEX;
  const child = new ChildStore('read', directory, { limit, args: [attemptId] });
  onTestFinished(() => child.kill());
  expect(await child.next()).toBe('found');
  const index = readdirSync(directory).filter((name) => name.endsWith('-shm'));
  for (const name of index) expect(statSync(join(directory, name)).size).toBeLessThan(32 * 1024);
  // A command beside the service would not see what is in the log.
  const refused = await openErrorOf(open(true));
  expect([refused.code, refused.message]).toEqual([
    'store.locked',
    expect.stringContaining('started on a full disk'),
  ]);
  child.finish();
  expect(await child.rest()).toEqual([]);

  const again = await open(false);
  expect(await again.findAttempt(attemptId)).not.toBeNull();
  await again.close();
});

const DISK_MEGABYTES = 4;
/** The log takes the rest of the disk; the rows in it add less than this to the database file. */
const OTHERS_BYTES = 512 * 1024;

/** More than the log has place for. */
const WRITES = 500;
const FEW_WRITES_BYTES = 64 * 1024;
/** For the empty tables, and a log of some hundred writes. */
const ROOM_BYTES = 1024 * 1024;

/**
 * Regression: writes before the check once used the freed space for a log that could not be
 * removed.
 */
test.each(['running', 'started again'])(
  'threat 69: a disk that is full of the log itself, and the service %s: a little space is enough',
  async (when) => {
    const disk = mountSmallDisk(DISK_MEGABYTES);
    if (disk === null) {
      // write-ahead-log.test.ts tests the same rule with a simulated full disk.
      return console.warn('LEFT OUT: only root on Linux can mount a small disk');
    }
    onTestFinished(() => disk.unmount());
    disk.fill(disk.freeBytes - OTHERS_BYTES);
    const directory = join(disk.folder, 'data');
    const first = await openSqlite({ directory });
    const { kept } = await fill(first.store);
    if (when === 'started again') await first.store.close();
    const store = (when === 'running' ? first.store : await first.reopen?.()) ?? first.store;
    onTestFinished(() => first.dispose());
    expect((await fill(store)).kept, 'the disk is full').toEqual([]);

    disk.free();
    await Promise.allSettled(
      Array.from({ length: 99 }, () => store.insertAttempt(sampleAttempt())),
    );
    for (let look = 1; look <= LOOKS; look += 1) await store.recover();
    expect(store.health()).toEqual({ ready: true });
    // As many writes as filled the disk: the log is now written from its beginning again.
    const more = kept.map(() => sampleAttempt());
    for (const attempt of more) await store.insertAttempt(attempt);
    for (const { attemptId } of [...kept, ...more]) {
      expect(await store.findAttempt(attemptId)).not.toBeNull();
    }
  },
);

test('threat 69: on a disk with space for a few writes it is not ready, until there is more', async () => {
  const disk = mountSmallDisk(DISK_MEGABYTES);
  if (disk === null) return console.warn('LEFT OUT: only root on Linux can mount a small disk');
  onTestFinished(() => disk.unmount());
  disk.fill(ROOM_BYTES);
  const { store, dispose } = await openSqlite({ directory: join(disk.folder, 'data') });
  onTestFinished(() => dispose());
  await fill(store);
  const readyAndRefused: number[] = [];
  for (let look = 1; look <= 3 * LOOKS; look += 1) {
    disk.free();
    disk.fill(FEW_WRITES_BYTES);
    await store.recover();
    const isReady = store.health().ready;
    // One transaction each: the log takes the space, and begins anew after a write was refused.
    const { refusal } = await fill(store, WRITES);
    if (isReady && refusal !== null) readyAndRefused.push(look);
  }
  expect(readyAndRefused).toEqual([]);
  expect(store.health()).toMatchObject({ ready: false, isFull: true });

  // Nobody writes any more, as behind a load balancer that looks at readiness.
  for (let look = 1; look <= LOOKS; look += 1) {
    disk.free();
    disk.fill(FEW_WRITES_BYTES);
    await store.recover();
  }
  expect(store.health()).toMatchObject({ ready: false, isFull: true });

  disk.free();
  for (let look = 1; look <= LOOKS; look += 1) {
    expect(store.health().ready, 'there was space for too short a time').toBe(false);
    await store.recover();
  }
  expect(store.health()).toEqual({ ready: true });
});

test('a backup for which there is no space says where, and leaves nothing there', async () => {
  const disk = mountSmallDisk(DISK_MEGABYTES);
  if (disk === null) return console.warn('LEFT OUT: only root on Linux can mount a small disk');
  onTestFinished(() => disk.unmount());
  const directory = makeDirectory();
  onTestFinished(() => rmSync(directory, { recursive: true }));
  await (await openSqliteStore({ directory, onPoisoned: () => undefined })).close();
  disk.fill();
  const copy = join(disk.folder, 'backup.db');
  expect(() => backUp(directory, copy)).toThrow(
    `${copy} could not be written: database or disk is full. Free some space there`,
  );
  expect(existsSync(copy)).toBe(false);
});
