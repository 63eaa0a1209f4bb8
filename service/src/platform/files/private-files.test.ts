import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { keepPrivate } from './private-files.ts';

function folderWith(name: string, mode: number): string {
  const folder = mkdtempSync(join(tmpdir(), 'miftah-private-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, name), 'content');
  chmodSync(join(folder, name), mode);
  return folder;
}

const modeOf = (...path: string[]) => statSync(join(...path)).mode & 0o777;

describe('a file of the data folder', () => {
  it('is refused when it is a link to a folder, which keeps its rights', () => {
    const folder = folderWith('readme.txt', 0o644);
    mkdirSync(join(folder, 'elsewhere'), { mode: 0o755 });
    symlinkSync(join(folder, 'elsewhere'), join(folder, 'secret.key'));
    const said = `${join(folder, 'secret.key')} is no regular file`;
    expect(() => keepPrivate(folder, ['secret.key'])).toThrow(said);
    expect(modeOf(folder, 'elsewhere')).toBe(0o755);
  });

  it.each([0o644, 0o640, 0o604, 0o666, 0o777])('is for its owner only, not %o', (mode) => {
    const folder = folderWith('secret.key', mode);
    keepPrivate(folder, ['miftah.db', 'secret.key']);
    expect(modeOf(folder, 'secret.key')).toBe(0o600);
  });

  it.each([0o600, 0o400])('is left alone when it is private already: %o', (mode) => {
    const folder = folderWith('secret.key', mode);
    const chmod = vi.fn<typeof chmodSync>();
    keepPrivate(folder, ['secret.key'], chmod);
    expect(chmod).not.toHaveBeenCalled();
    expect(modeOf(folder, 'secret.key')).toBe(mode);
  });

  it('may go away meanwhile, as those that SQLite writes beside its own', () => {
    const folder = folderWith('miftah.db-wal', 0o644);
    keepPrivate(folder, ['miftah.db-wal'], (path) => rmSync(path));
    expect(existsSync(join(folder, 'miftah.db-wal'))).toBe(false);
  });

  it('is left alone when it is not ours', () => {
    const folder = folderWith('readme.txt', 0o644);
    keepPrivate(folder, ['secret.key']);
    expect(modeOf(folder, 'readme.txt')).toBe(0o644);
  });

  it.each([
    ['has rights that can’t be changed', () => expect.unreachable('not permitted')],
    ['is on a file system that forgets modes', () => undefined],
  ])('is refused when it %s', (_, chmod) => {
    const folder = folderWith('secret.key', 0o644);
    const path = join(folder, 'secret.key');
    expect(() => keepPrivate(folder, ['secret.key'], chmod)).toThrow(
      `other users may open ${path}`,
    );
  });
});

/** Only root can change a file's owner; in containers tests run as root. */
const isRoot = process.getuid?.() === 0;
const SOMEBODY = 12_345;

describe('what belongs to another user', () => {
  it.each(['secret.key', '.'])('is refused, and named: %s', (name) => {
    if (!isRoot) return console.warn('LEFT OUT: only root can give a file to somebody else');
    const folder = folderWith('secret.key', 0o600);
    chownSync(join(folder, name), SOMEBODY, SOMEBODY);
    expect(() => keepPrivate(folder, ['secret.key'])).toThrow(
      `${join(folder, name)} belongs to another user (12345) than the one that runs this (0)`,
    );
  });

  it('is a mounted folder of root, whose group may write: that is only said', () => {
    if (!isRoot) return console.warn('LEFT OUT: only root can run something as somebody else');
    const folder = folderWith('secret.key', 0o600);
    chownSync(join(folder, 'secret.key'), SOMEBODY, SOMEBODY);
    chownSync(folder, 0, SOMEBODY);
    chmodSync(folder, 0o775);
    const getuid = vi.spyOn(process, 'getuid').mockReturnValue(SOMEBODY);
    expect(keepPrivate(folder, ['secret.key'])).toEqual([
      expect.stringContaining(`may write into ${folder}`),
    ]);
    getuid.mockRestore();
  });
});

describe('the folder', () => {
  it.each([0o777, 0o1777, 0o703])('is refused when every user may write into it: %o', (mode) => {
    const folder = join(folderWith('secret.key', 0o600), 'data');
    mkdirSync(folder);
    chmodSync(folder, mode);
    expect(() => keepPrivate(folder, [])).toThrow(`every user may write into ${folder}`);
    expect(modeOf(folder)).toBe(mode & 0o777);
  });

  it.each([0o700, 0o755, 0o775])('is taken as it is otherwise: %o', (mode) => {
    const folder = folderWith('secret.key', 0o600);
    chmodSync(folder, mode);
    const warnings = keepPrivate(folder, ['secret.key']);
    expect(modeOf(folder)).toBe(mode);
    expect(warnings).toHaveLength(mode === 0o775 ? 1 : 0);
  });

  it('may be missing', () => {
    keepPrivate(join(folderWith('x', 0o600), 'missing'), ['secret.key']);
  });
});
