import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { expect, it, onTestFinished } from 'vitest';
import { makeDataFolder } from './data-folder.ts';

function temporary(): string {
  const folder = mkdtempSync(join(tmpdir(), 'miftah-data-folder-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

it('is made with those above it, for its owner alone, and may be there', () => {
  const path = join(temporary(), 'above', 'data');
  makeDataFolder(path);
  makeDataFolder(path);
  expect(statSync(path).mode & 0o777).toBe(0o700);
});

it('a file in its place, or above it, is named with the setting', () => {
  const file = join(temporary(), 'file');
  writeFileSync(file, '');
  for (const path of [file, join(file, 'data')]) {
    expect(() => makeDataFolder(path)).toThrow(/file is no folder|ENOTDIR/);
    expect(() => makeDataFolder(path)).toThrow('Set DATA_DIR to a folder');
  }
});

it('what can never be made ends at once', () => {
  // Of other systems' file systems nothing is known.
  const path = process.platform === 'linux' ? '/proc/no-such-process/data' : '/dev/null/data';
  expect(() => makeDataFolder(path)).toThrow('Set DATA_DIR to a folder');
});
