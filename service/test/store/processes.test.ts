import { rmSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parseAttemptId } from '../../src/values/ids.ts';
import type { Store } from '../../src/store/ports/store.port.ts';
import { openSqliteStore } from '../../src/store/index.ts';
import { ChildStore } from '../support/store/programs/child-store.ts';
import { makeDirectory, openErrorOf } from '../support/store/open-stores.ts';

const KILLS = 5;
const ACKNOWLEDGED_BEFORE_KILL = 300;
/**
 * In blocks of 512 or 1024 bytes, depending on the shell: more than an empty store needs, less than
 * a thousand rows need.
 */
const SMALL_FILES = 800;

let directory: string;
const children: ChildStore[] = [];
const stores: Store[] = [];

beforeEach(() => {
  directory = makeDirectory();
});

afterEach(async () => {
  await Promise.all(children.splice(0).map((child) => child.kill()));
  await Promise.all(stores.splice(0).map((store) => store.close()));
  rmSync(directory, { recursive: true });
});

async function open(lockWaitMs?: number): Promise<Store> {
  const wait = lockWaitMs === undefined ? {} : { lockWaitMs };
  const store = await openSqliteStore({ directory, onPoisoned: () => undefined, ...wait });
  stores.push(store);
  return store;
}

function startChild(...details: ConstructorParameters<typeof ChildStore>): ChildStore {
  const child = new ChildStore(...details);
  children.push(child);
  return child;
}

async function missingOf(ids: readonly string[]): Promise<string[]> {
  const store = await open();
  const missing: string[] = [];
  for (const id of ids) {
    const attemptId = parseAttemptId(id);
    if (attemptId === null || (await store.findAttempt(attemptId)) === null) missing.push(id);
  }
  await store.close();
  return missing;
}

describe('one process for each file', () => {
  test('a second process is refused by name, and admitted after kill -9 of the first', async () => {
    const first = startChild('hold', directory);
    expect(await first.next()).toBe('open');
    const { code, message } = await openErrorOf(open());
    expect(code).toBe('store.locked');
    expect(message).toContain('Another Miftah uses');
    await first.kill();
    await (await open()).close();
  });

  test('a second process waits for a first that goes, without blocking its own thread', async () => {
    const first = startChild('hold', directory);
    expect(await first.next()).toBe('open');
    const second = open(20_000);
    await first.kill();
    await (await second).close();
  });

  test('a second store in the same process is refused, and the first stays locked', async () => {
    const first = await open();
    for (let attempt = 0; attempt < 2; attempt += 1) {
      await expect(open(0)).rejects.toMatchObject({ code: 'store.locked' });
    }
    const other = startChild('hold', directory);
    await first.close();
    expect(await other.next()).toBe('open');
    await other.kill();
  });
});

describe('S-1: what was acknowledged outlives', () => {
  test(`${KILLS} times kill -9 in the middle of writing`, async () => {
    const acknowledged: string[] = [];
    for (let kill = 0; kill < KILLS; kill += 1) {
      const child = startChild('write', directory);
      for (let line = 0; line < ACKNOWLEDGED_BEFORE_KILL + kill * 37; line += 1) {
        acknowledged.push((await child.next()) ?? 'the child stopped by itself');
      }
      await child.kill();
      acknowledged.push(...(await child.rest()).filter((id) => parseAttemptId(id) !== null));
      expect(await missingOf(acknowledged)).toEqual([]);
    }
  });

  test('a disk that fails in the commit: outcome unknown, shut for writes, reads go on', async () => {
    const lines = await startChild('write', directory, { limit: SMALL_FILES }).rest();
    const report = lines.at(-1) ?? '';
    expect(report).toContain('"storage.outcome_unknown"');
    expect(report).toContain('"poison":"disk I/O error","ready":false,"read":"null"');
    const acknowledged = lines.slice(0, -1);
    expect(acknowledged.length).toBeGreaterThan(0);
    expect(await missingOf(acknowledged)).toEqual([]);
  });
});
