import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { readRegularFile } from './regular-file.ts';

function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'miftah-regular-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

it('reads a file, also by a link, up to its limit', () => {
  const folder = emptyFolder();
  const [file, link] = [join(folder, 'file'), join(folder, 'link')];
  writeFileSync(file, 'مفتاح');
  symlinkSync(file, link);
  expect(readRegularFile(file, 10)).toBe('مفتاح');
  expect(readRegularFile(link, 10)).toBe('مفتاح');
  expect(() => readRegularFile(file, 9)).toThrow('it has more than 9 bytes');
});

it('opens no pipe that nobody writes to, no device and no folder', () => {
  const folder = emptyFolder();
  const pipe = join(folder, 'pipe');
  execFileSync('mkfifo', [pipe]);
  for (const path of [pipe, '/dev/zero', '/dev/null']) {
    expect(() => readRegularFile(path, 10)).toThrow('it is no regular file');
  }
  expect(() => readRegularFile(folder, 10_000)).toThrow('EISDIR');
  expect(() => readRegularFile(join(folder, 'none'), 10)).toThrow('ENOENT');
});
