import {
  chmodSync,
  chownSync,
  lchownSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
} from 'node:fs';
import { symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import process from 'node:process';
import { describe, expect, it, onTestFinished } from 'vitest';
import { faultOfFolder } from './trusted-folder.ts';

/** Only root can give a file to another user; in containers tests run as root. */
const isRoot = process.getuid?.() === 0;
const SOMEBODY = 12_345;

/** `a/b` in a folder of this user, which is in one that all may write into, such as /tmp. */
function folders() {
  const top = realpathSync(mkdtempSync(join(tmpdir(), 'miftah-trusted-')));
  onTestFinished(() => rmSync(top, { recursive: true, force: true }));
  const [above, folder] = [join(top, 'a'), join(top, 'a', 'b')];
  mkdirSync(folder, { recursive: true });
  for (const path of [above, folder]) chmodSync(path, 0o755);
  return { top, above, folder };
}

describe('a folder', () => {
  it('of this user below others of this user and of root is trusted', () => {
    const { folder } = folders();
    expect(faultOfFolder(folder)).toBeNull();
    expect(faultOfFolder('/usr')).toBeNull();
  });

  it('that is missing is trusted as far as it is there', () => {
    const { above, folder } = folders();
    expect(faultOfFolder(join(folder, 'c', 'd'))).toBeNull();
    chmodSync(above, 0o777);
    expect(faultOfFolder(join(folder, 'c', 'd'))).toContain(`may write into ${above},`);
  });

  it.each([0o777, 0o757, 0o1777, 0o702])('that all may write into is refused: %o', (mode) => {
    const { folder } = folders();
    chmodSync(folder, mode);
    expect(faultOfFolder(folder)).toContain(`other users may write into ${folder}`);
  });

  it.each([
    [0o777, /: name another folder, or take that right away \(chmod go-w [^ ]+\)$/],
    [0o1777, /: name a folder in it$/],
  ])('with the mode %o comes with advice that is right for it', (mode, advice) => {
    const { folder } = folders();
    chmodSync(folder, mode);
    expect(faultOfFolder(folder)).toMatch(advice);
  });

  it.each([
    [0o777, /may write into/],
    [0o1777, /^null$/],
    [0o755, /^null$/],
  ])('below one with the mode %o is as safe as that one', (mode, said) => {
    const { above, folder } = folders();
    chmodSync(above, mode);
    expect(String(faultOfFolder(folder))).toMatch(said);
  });

  it('that is none is refused', () => {
    const { folder } = folders();
    writeFileSync(join(folder, 'file'), '');
    expect(faultOfFolder(join(folder, 'file'))).toBe(
      `${join(folder, 'file')} is no folder: name another one`,
    );
  });
});

describe('a symbolic link', () => {
  it.each(['absolute', 'relative'])(
    'of this user is followed and its target looked at: %s',
    (kind) => {
      const { top, above, folder } = folders();
      const link = join(top, 'link');
      symlinkSync(kind === 'absolute' ? above : relative(top, above), link);
      expect(faultOfFolder(join(link, 'b'))).toBeNull();
      chmodSync(folder, 0o777);
      expect(faultOfFolder(join(link, 'b'))).toContain(`may write into ${folder},`);
      expect(faultOfFolder(join(link, '..', 'a', 'b'))).toContain(`may write into ${folder},`);
    },
  );

  it('that leads to itself is refused', () => {
    const { top } = folders();
    symlinkSync('link', join(top, 'link'));
    expect(faultOfFolder(join(top, 'link'))).toContain('too many symbolic links');
  });

  it('of another user is refused, wherever it leads', () => {
    if (!isRoot) return console.warn('LEFT OUT: only root can give a link to somebody else');
    const { top, above } = folders();
    const link = join(top, 'link');
    symlinkSync(above, link);
    lchownSync(link, SOMEBODY, SOMEBODY);
    for (const path of [link, join(link, 'b')]) {
      expect(faultOfFolder(path)).toContain(`${link} is a symbolic link of another user (12345)`);
    }
  });
});

describe('of another user', () => {
  it.each(['above', 'folder'] as const)('%s is refused, and named', (which) => {
    if (!isRoot) return console.warn('LEFT OUT: only root can give a folder to somebody else');
    const all = folders();
    chownSync(all[which], SOMEBODY, SOMEBODY);
    expect(faultOfFolder(all.folder)).toContain(
      `${all[which]} is a folder of another user (12345)`,
    );
    expect(faultOfFolder(all.folder, { owners: [SOMEBODY] })).toBeNull();
  });

  it('a group may write into it, unless it is the private group of an accepted owner', () => {
    if (!isRoot) return console.warn('LEFT OUT: only root can give a folder to a group');
    const { folder } = folders();
    const faultWith = (uid: number, gid: number) => {
      chownSync(folder, uid, gid);
      chmodSync(folder, 0o775);
      return faultOfFolder(folder, { owners: [SOMEBODY] });
    };
    expect(faultWith(0, 50)).toContain('other users may write into');
    expect(faultWith(0, 0)).toContain('other users may write into');
    expect(faultWith(SOMEBODY, SOMEBODY)).toBeNull();
    expect(faultWith(SOMEBODY, 50)).toContain('other users may write into');
  });
});
