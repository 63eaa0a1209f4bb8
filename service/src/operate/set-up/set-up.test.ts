import { chmodSync, chownSync, lchownSync, mkdirSync, mkdtempSync, readdirSync } from 'node:fs';
import { rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { describe, expect, it, onTestFinished } from 'vitest';
import { placeOf } from './set-up.ts';

/** Only root can give a file to another user; in containers tests run as root. */
const isRoot = process.getuid?.() === 0;
const SOMEBODY = 12_345;

const begin = (dir: string) => () => placeOf({ dir, isRehearsal: false });

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'miftah-set-up-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const give = (path: string) => chownSync(path, SOMEBODY, SOMEBODY);

const CASES: readonly (readonly [string, (folder: string) => string])[] = [
  [
    'a folder below one of another user',
    (folder) => {
      give(folder);
      return folder;
    },
  ],
  [
    'a folder of another user that is there',
    (folder) => {
      mkdirSync(join(folder, 'settings'));
      give(join(folder, 'settings'));
      return join(folder, 'settings');
    },
  ],
  [
    'a symbolic link of another user',
    (folder) => {
      mkdirSync(join(folder, 'target'));
      symlinkSync('target', join(folder, 'settings'));
      lchownSync(join(folder, 'settings'), SOMEBODY, SOMEBODY);
      return join(folder, 'settings');
    },
  ],
  [
    'data of another user that are there',
    (folder) => {
      mkdirSync(join(folder, 'settings', 'data'), { recursive: true });
      give(join(folder, 'settings', 'data'));
      return join(folder, 'settings', 'data');
    },
  ],
];

describe('before anything is asked', () => {
  it.each(CASES)('%s is refused, and named', (_, prepare) => {
    if (!isRoot) return console.warn('LEFT OUT: only root can give something to somebody else');
    const folder = temporaryFolder();
    const named = prepare(folder);
    const before = readdirSync(folder, { recursive: true });
    const begun = begin(join(folder, 'settings'));
    expect(begun).toThrow('Nothing was written:\n  - ');
    expect(begun).toThrow(`${named} is a `);
    expect(begun).toThrow(`of another user (${SOMEBODY})`);
    expect(readdirSync(folder, { recursive: true })).toEqual(before);
  });

  it('data into which all may write are refused', () => {
    const dir = join(temporaryFolder(), 'settings');
    mkdirSync(join(dir, 'data'), { recursive: true });
    chmodSync(dir, 0o755);
    chmodSync(join(dir, 'data'), 0o777);
    expect(begin(dir)).toThrow(`other users may write into ${join(dir, 'data')}`);
    // By this name the command ends with 2.
    expect(begin(dir)).toThrow(expect.objectContaining({ name: 'SetUpError' }));
  });

  it('a draft that another user has put beside the folder is not in the way', () => {
    if (!isRoot) return console.warn('LEFT OUT: only root can give something to somebody else');
    const folder = temporaryFolder();
    mkdirSync(join(folder, '.miftah-init-x'));
    give(join(folder, '.miftah-init-x'));
    expect(begin(join(folder, 'settings'))()).toMatchObject({ dir: join(folder, 'settings') });
  });
});
