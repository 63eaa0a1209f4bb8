import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  isFolderLocked,
  lockFolder,
  openSqliteStore,
  StoreOpenError,
} from '../../src/store/index.ts';
import { makeDirectory, openErrorOf } from '../support/store/open-stores.ts';

let directory: string;

beforeEach(() => {
  directory = makeDirectory();
});
afterEach(() => rmSync(directory, { recursive: true }));

const open = () => openSqliteStore({ directory, lockWaitMs: 0, onPoisoned: () => undefined });
const lockOf = () => join(directory, 'miftah.lock');

/** How a command that locks the folder is refused. */
function refusalOfCommand(): StoreOpenError {
  try {
    lockFolder(directory)[Symbol.dispose]();
  } catch (error) {
    if (error instanceof StoreOpenError) return error;
    throw error;
  }
  throw new Error('it was not refused');
}

describe('the lock of a data folder', () => {
  it('is held by a service or by a command, never by both', async () => {
    const store = await open();
    expect(refusalOfCommand()).toMatchObject({
      code: 'store.locked',
      message: `a service runs on ${directory}. Stop it first.`,
    });
    await store.close();
    const lock = lockFolder(directory);
    expect(await openErrorOf(open())).toMatchObject({ code: 'store.locked' });
    lock[Symbol.dispose]();
    await (await open()).close();
  });

  it("is seen by those who only look, who are in nobody's way", async () => {
    expect(isFolderLocked(directory)).toBe(false);
    const store = await open();
    expect(isFolderLocked(directory)).toBe(true);
    expect(refusalOfCommand()).toMatchObject({ code: 'store.locked' });
    await store.close();
    expect(isFolderLocked(directory)).toBe(false);
    await (await open()).close();
    rmSync(lockOf());
    writeFileSync(lockOf(), 'damaged');
    expect(() => isFolderLocked(directory)).toThrow('is damaged');
  });

  it.each([
    ['is damaged', (file: string) => writeFileSync(file, 'damaged'), 'remove that file alone'],
    ['can not be opened', (file: string) => mkdirSync(file), 'Check that this user may write'],
  ])('whose file %s is no service that runs, and no lost data', async (_, spoil, advice) => {
    await (await open()).close();
    rmSync(lockOf());
    spoil(lockOf());
    for (const error of [refusalOfCommand(), await openErrorOf(open())]) {
      expect(error).toMatchObject({ code: 'store.unavailable' });
      expect(error.message).toMatch(new RegExp(`^${RegExp.escape(lockOf())} .+${advice}`));
    }
    rmSync(lockOf(), { recursive: true });
    await (await open()).close();
  });
});
