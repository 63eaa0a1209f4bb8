import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { lockFolder } from './folder-lock.ts';

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'simulator-lock-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

describe('the lock of a data folder', () => {
  it('whose file is damaged names that file, and no other simulator', () => {
    const file = join(directory, 'lock');
    writeFileSync(file, 'damaged');
    expect(() => lockFolder(directory)).toThrow(`${file} is damaged, or was made by another`);
    rmSync(file);
    lockFolder(directory)[Symbol.dispose]();
  });

  it('that can not be made says why, and names the setting', () => {
    mkdirSync(join(directory, 'lock'));
    const inTheWay = join(directory, 'file');
    writeFileSync(inTheWay, '');
    expect(() => lockFolder(directory)).toThrow(
      `${join(directory, 'lock')} can't be locked (unable to open database file): set DATA_DIR`,
    );
    expect(() => lockFolder(join(inTheWay, 'data'))).toThrow(
      `${inTheWay} is no folder. Set DATA_DIR to a folder`,
    );
  });
});
