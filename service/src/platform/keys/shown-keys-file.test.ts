import { mkdirSync, mkdtempSync, rmSync, rmdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { SHOWN_KEYS_FILE, ShownKeysFile } from './shown-keys-file.ts';

function open() {
  const folder = mkdtempSync(join(tmpdir(), 'miftah-shown-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, SHOWN_KEYS_FILE);
  // Where its draft can't be made nothing can be written, as on a full disk.
  const draft = `${path}.part`;
  return {
    path,
    file: new ShownKeysFile(folder),
    fill: () => mkdirSync(draft),
    free: () => rmdirSync(draft),
  };
}

it('says what was shown last, and nothing before', () => {
  const { file } = open();
  expect(file.read()).toBeNull();
  file.begin([1]);
  file.show([1, 2]);
  expect(file.read()).toEqual([1, 2]);
  file.show([2]);
  expect(file.read()).toEqual([2]);
});

it('never says what an earlier process wrote with, also on a full disk', () => {
  const { file, fill, free } = open();
  file.begin([1]);
  fill();
  file.begin([1]);
  expect(file.read()).toEqual([1]);
  file.begin([2]);
  expect(file.read()).toBeNull();
  free();
  file.begin([2]);
  expect(file.read()).toEqual([2]);
});

it('refuses a key that can not be shown, and keeps one that is not written with any more', () => {
  const { file, fill } = open();
  file.begin([1]);
  fill();
  expect(() => file.show([1, 2])).toThrow('EISDIR');
  expect(file.read()).toEqual([1]);
  file.show([1]);
});

it.each(['', '{', 'null', '{"writes":[]}', '{"writes":["1"]}', '{"keys":[1]}'])(
  'says nothing by %j',
  (text) => {
    const { file, path } = open();
    writeFileSync(path, text);
    expect(file.read()).toBeNull();
  },
);
