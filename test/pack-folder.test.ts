import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { emptyFolder } from '../scripts/pack/empty-folder.ts';

/** `npm run pack:all -- FOLDER` deletes what is in the folder. */

const own = mkdtempSync(join(tmpdir(), 'miftah-pack-folder-'));
afterAll(() => rmSync(own, { recursive: true, force: true }));

test('a folder with files of somebody else is refused, and keeps them', () => {
  const folder = join(own, 'project');
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), '{}');
  expect(() => emptyFolder(folder)).toThrow('Name a new or an empty folder');
  expect(readdirSync(folder)).toEqual(['package.json']);
});

test('a new or an empty folder is taken, and emptied the next time', () => {
  const [fresh, empty] = [join(own, 'of/new/folders'), join(own, 'empty')];
  mkdirSync(empty);
  for (const folder of [fresh, empty]) {
    emptyFolder(folder);
    const file = join(folder, 'miftah-0.1.0.tgz');
    writeFileSync(file, '');
    emptyFolder(folder);
    expect([existsSync(folder), existsSync(file)]).toEqual([true, false]);
  }
});
