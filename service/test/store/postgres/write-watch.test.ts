import { chmodSync, chownSync } from 'node:fs';
import { expect, onTestFinished, test, vi } from 'vitest';
import { mountSmallDisk, type SmallDisk } from '../../support/faults/small-disk.ts';
import { share } from '../../support/at-end.ts';
import { ask, urlOf } from '../../support/postgres/databases.ts';
import { serverOwner } from '../../support/postgres/owner.ts';
import { becomesReady, openPool, refusalOf, sql } from '../../support/postgres/pool.ts';
import { startPostgres } from '../../support/postgres/server.ts';
import type { PostgresPool } from '../../../src/store/postgres/connections/postgres-pool.ts';
import { WAIT_MS } from '../../support/wait-ms.ts';

const SOON = { timeout: WAIT_MS, interval: 50 };
/** Enough for a database and a start of its catalogs, and soon full. */
const DISK_MB = 32;
/** Does not fit into any page that is there already, and can't be compressed. */
const INSERT = `INSERT INTO item
  SELECT string_agg(md5(random()::text), '') FROM generate_series(1, 20000)`;

const server = share(async (atEnd) => {
  const started = await startPostgres({ isDurable: true });
  atEnd(() => started.close());
  return started;
});

/** As the service does, once a second. */
async function readinessOf(pool: PostgresPool): Promise<unknown> {
  await pool.look();
  return pool.health();
}

test('a synchronous standby that is away: not ready though reads go on, and ready again by itself', async () => {
  const { url } = server();
  const pool = openPool(url, onTestFinished);
  await becomesReady(pool);
  await ask(url, `ALTER SYSTEM SET synchronous_standby_names = 'nobody'`);
  await ask(url, 'SELECT pg_reload_conf()');
  onTestFinished(async () => {
    await ask(url, 'ALTER SYSTEM RESET synchronous_standby_names');
    await ask(url, 'SELECT pg_reload_conf()');
  });

  await vi.waitFor(async () => {
    expect(await readinessOf(pool)).toMatchObject({ ready: false, isStalled: true });
  }, SOON);
  expect((await pool.read(sql('SELECT 1 AS one'))).rows).toEqual([{ one: 1 }]);
  // Waiting commits keep a process of the server each, so only one trial waits at a time.
  for (let looks = 0; looks < 20; looks += 1) await pool.look();
  expect(pool.figures.inUse).toBe(1);

  await ask(url, 'ALTER SYSTEM RESET synchronous_standby_names');
  await ask(url, 'SELECT pg_reload_conf()');
  await vi.waitFor(async () => expect(await readinessOf(pool)).toEqual({ ready: true }), SOON);
});

test('a pool with a trial that waits is closed at once', async () => {
  const { url } = server();
  const pool = openPool(url, () => undefined);
  await becomesReady(pool);
  await ask(url, `ALTER SYSTEM SET synchronous_standby_names = 'nobody'`);
  await ask(url, 'SELECT pg_reload_conf()');
  try {
    await vi.waitFor(async () => {
      expect(await readinessOf(pool)).toMatchObject({ ready: false });
    }, SOON);
    await pool.close();
  } finally {
    await ask(url, 'ALTER SYSTEM RESET synchronous_standby_names');
    await ask(url, 'SELECT pg_reload_conf()');
  }
});

test('a full disk of the server: not ready for lack of space, until there is some', async () => {
  const disk = mountSmallDisk(DISK_MB);
  if (disk === null) {
    console.error('NOT RUN: a full disk of PostgreSQL, since only root on Linux can mount one');
    return;
  }
  onTestFinished(() => disk.unmount());
  const url = await databaseOn(disk);
  const pool = openPool(url, onTestFinished);
  await becomesReady(pool);
  await pool.autocommit(sql('CREATE TABLE item (filling text)'));
  await pool.autocommit(sql('ALTER TABLE item ALTER filling SET STORAGE EXTERNAL'));
  disk.fill();

  expect(await refusalOf(pool.autocommit(sql(INSERT)))).toBe('storage.unavailable');
  const full = { ready: false, isFull: true };
  expect(pool.health()).toMatchObject(full);
  // Some writes need no space: that they succeed does not make the others possible.
  await pool.autocommit(sql('SELECT 1'));
  for (let looks = 0; looks < 3; looks += 1) expect(await readinessOf(pool)).toMatchObject(full);

  disk.free();
  await vi.waitFor(async () => expect(await readinessOf(pool)).toEqual({ ready: true }), SOON);
  expect(await refusalOf(pool.autocommit(sql(INSERT)))).toBe('fulfilled');
});

/** @returns the URL of a database whose tables are on the disk, which is dropped at the end */
async function databaseOn(disk: SmallDisk): Promise<string> {
  const { url } = server();
  const owner = serverOwner();
  if (owner !== undefined) chownSync(disk.folder, owner.uid, owner.gid);
  chmodSync(disk.folder, 0o700);
  await ask(url, `CREATE TABLESPACE small LOCATION '${disk.folder}'`);
  await ask(url, 'CREATE DATABASE on_small TEMPLATE template0 TABLESPACE small');
  onTestFinished(async () => {
    disk.free();
    await ask(url, 'DROP DATABASE on_small WITH (FORCE)');
    await ask(url, 'DROP TABLESPACE small');
  });
  return urlOf(url, 'on_small');
}
