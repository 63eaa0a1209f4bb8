import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openSqliteStore } from '../../src/store/index.ts';
import { inspectStore } from '../../src/store/sqlite/inspect-store.ts';
import { sampleAttempt } from '../conformance/samples.ts';
import { makeDirectory } from '../support/store/open-stores.ts';
import { changeBehindIndex } from '../support/store/unindexed-row.ts';

/** More than a start looks through. */
const FILE_BYTES = 80 * 1024 * 1024;
const PAGE_BYTES = 4096;
const NOISE = 0xa5;

let directory: string;
let file: string;

beforeEach(() => {
  directory = makeDirectory();
  file = join(directory, 'miftah.db');
});

afterEach(() => rmSync(directory, { recursive: true }));

function open(onPoisoned: (reason: string) => void = () => undefined) {
  return openSqliteStore({ directory, onPoisoned });
}

/** A store of 80 MiB, most of which are pages without content. */
async function makeLargeStore() {
  const store = await open();
  const attempts = Array.from({ length: 50 }, () => sampleAttempt());
  await Promise.all(attempts.map((attempt) => store.insertAttempt(attempt)));
  await store.close();
  withDatabase((database) => {
    database.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF');
    database.exec(`CREATE TABLE filler (content BLOB);
      INSERT INTO filler VALUES (zeroblob(${FILE_BYTES})); DROP TABLE filler`);
  });
  expect(statSync(file).size).toBeGreaterThan(FILE_BYTES);
  return attempts;
}

function withDatabase(action: (database: DatabaseSync) => void): void {
  const database = new DatabaseSync(file, { defensive: false });
  try {
    action(database);
  } finally {
    database.close();
  }
}

async function foundByDoctor(): Promise<string> {
  const inspection = inspectStore(directory, []);
  try {
    return inspection.integrity();
  } finally {
    await inspection.close();
  }
}

describe('a file of more than 64 MiB, which a start does not look through', () => {
  test('opens, and the doctor finds it whole', async () => {
    const [attempt = sampleAttempt()] = await makeLargeStore();
    const store = await open();
    expect((await store.findAttempt(attempt.attemptId))?.attempt.attemptId).toBe(attempt.attemptId);
    await store.close();
    expect(await foundByDoctor()).toBe('ok');
  });

  test('with a page of noise opens; the first read of the page ends the store', async () => {
    const [attempt = sampleAttempt()] = await makeLargeStore();
    let page = 0;
    withDatabase((database) => {
      const root = "SELECT rootpage FROM sqlite_schema WHERE name = 'attempts'";
      page = Number(database.prepare(root).get()?.['rootpage']);
    });
    const bytes = readFileSync(file);
    writeFileSync(file, bytes.fill(NOISE, PAGE_BYTES * (page - 1), PAGE_BYTES * page));
    const { promise: poisoned, resolve } = Promise.withResolvers<string>();
    const store = await open(resolve);
    await expect(store.findAttempt(attempt.attemptId)).rejects.toThrow('storage.unavailable');
    expect(await poisoned).toContain('malformed');
    expect(store.health()).toMatchObject({ ready: false });
    await store.close();
    expect(await foundByDoctor()).not.toBe('ok');
  });

  test('with a row that its index lacks opens, and only the doctor finds it', async () => {
    await makeLargeStore();
    withDatabase(changeBehindIndex);
    const store = await open();
    expect(store.health()).toEqual({ ready: true });
    await store.close();
    expect(await foundByDoctor()).toContain('attempts_by_expiry');
  });
});
