import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test, vi } from 'vitest';
import { findPostgres } from '../../../../scripts/postgres.mjs';
import { temporaryFolder } from '../../support/at-end.ts';
import { withClient } from '../../support/postgres/connection.ts';
import { ask, emptyDatabase } from '../../support/postgres/databases.ts';
import { sharedServer } from '../../support/postgres/door.ts';
import { startPostgres } from '../../support/postgres/server.ts';
import { until } from '../../support/programs/until.ts';

const HOLDER = fileURLToPath(
  new URL('../../support/postgres/programs/hold-server.ts', import.meta.url),
);

test('a test gets a database of its own, and it is dropped at the end', async () => {
  const endings: (() => void | Promise<void>)[] = [];
  const url = await emptyDatabase((ending) => void endings.push(ending));
  expect(await ask(url, 'SHOW server_encoding')).toEqual([{ server_encoding: 'UTF8' }]);
  const name = new URL(url).pathname.slice(1);
  expect(await databases()).toContain(name);
  for (const end of endings) await end();
  expect(await databases()).not.toContain(name);
});

async function databases(): Promise<string[]> {
  const { url } = await sharedServer();
  const rows = await ask<{ datname: string }>(url, 'SELECT datname FROM pg_database');
  return rows.map(({ datname }) => datname);
}

test('a durable server has after a kill what it had committed', async () => {
  const server = await startPostgres({ isDurable: true });
  try {
    expect(await ask(server.url, 'SHOW fsync')).toEqual([{ fsync: 'on' }]);
    await ask(server.url, 'CREATE TABLE kept AS SELECT 7 AS number');
    await server.kill();
    await expect(ask(server.url, 'SELECT 1')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    await server.start();
    expect(await ask(server.url, 'SELECT number FROM kept')).toEqual([{ number: 7 }]);
  } finally {
    await server.close();
  }
});

test('the server ends when the program that started it is killed', async () => {
  const holder = spawn(process.execPath, [HOLDER], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [url] = (await once(createInterface(holder.stdout), 'line')) as [string];
  expect(await ask(url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  holder.kill('SIGKILL');
  await until(() => ask(url, 'SELECT 1').then(() => false, isRefused));
});

function isRefused(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ECONNREFUSED';
}

test('a connection that the server ends between two queries fails the next one, and no more', async () => {
  const url = await emptyDatabase();
  const second = withClient(url, async (client) => {
    const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    await ask(url, 'SELECT pg_terminate_backend($1, 5000)', [rows[0]?.pid]);
    await client.query('SELECT 1');
  });
  await expect(second).rejects.toThrow();
});

test('without server programs a test fails, and is told what to do', async () => {
  const started = startPostgres({}, () => undefined);
  await expect(started).rejects.toThrow('set TEST_DATABASE_URL to a server');
});

test('programs that do not start fail with their path', async () => {
  const folder = temporaryFolder('no-postgres');
  // As root the server runs as another user, who may look into it.
  chmodSync(folder, 0o755);
  const programs = join(folder, 'bin');
  await expect(startPostgres({ programs })).rejects.toThrow(join(programs, 'initdb'));
});

test('the programs that POSTGRES_BIN names are taken, then those on PATH', () => {
  const folder = temporaryFolder('postgres');
  const programs = join(folder, 'bin');
  mkdirSync(programs);
  for (const name of ['initdb', 'postgres']) writeFileSync(join(programs, name), '');
  // Before the next file of this worker: its hooks may start a server before vitest takes them back.
  onTestFinished(() => void vi.unstubAllEnvs());
  vi.stubEnv('POSTGRES_BIN', '');
  vi.stubEnv('PATH', programs);
  expect(findPostgres()).toBe(programs);
  vi.stubEnv('POSTGRES_BIN', folder);
  expect(findPostgres()).toBe(folder);
});
