import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { pack } from '../../../scripts/release/tar.ts';
import { buildTo, builtRelease, BUILD_LIMIT_MS } from '../support/release/built-release.ts';
import { treeOf } from '../support/release/tree.ts';

/** The same sources give the same bytes, so that anybody can check what a release was made of. */

beforeAll(async () => {
  await builtRelease('live');
}, BUILD_LIMIT_MS);

test(
  'a release that is made again, over one that is there, has the same files and no other',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'miftah-again-'));
    const again = join(folder, 'live');
    try {
      cpSync(await builtRelease('live'), again, { recursive: true });
      writeFileSync(join(again, 'lib', 'of-the-old-one.js'), '');
      await buildTo(again, ['--live']);
      expect(treeOf(again)).toEqual(treeOf(await builtRelease('live')));
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
  BUILD_LIMIT_MS,
);

test('a folder that is packed twice is the same file, whenever its files were written', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'miftah-pack-'));
  try {
    const [first, second] = [join(folder, '1', 'miftah'), join(folder, '2', 'miftah')];
    mkdirSync(join(first, 'bin'), { recursive: true });
    for (const name of ['b', 'a', 'bin/node']) writeFileSync(join(first, name), name);
    chmodSync(join(first, 'bin', 'node'), 0o755);
    cpSync(first, second, { recursive: true });
    utimesSync(join(second, 'a'), 1, 1);
    const packed = [await pack(first), await pack(second)];
    const [one, other] = packed.map((file) => readFileSync(file));
    expect(one?.equals(other ?? Buffer.alloc(0))).toBe(true);
    const [sum, sameSum] = packed.map((file) => readFileSync(`${file}.sha256`, 'utf8'));
    expect(sum).toMatch(/^[\da-f]{64} {2}miftah\.tar\.gz\n$/);
    expect(sameSum).toBe(sum);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test.each([
  ['a file of its own', ['sbom.cdx.json', 'thesis.txt']],
  ['the folders of a release, and no bill of materials', ['bin/mine', 'lib/mine', 'share/mine']],
])('a folder with %s is refused, and keeps what it has', async (_, paths) => {
  const folder = mkdtempSync(join(tmpdir(), 'miftah-mine-'));
  try {
    for (const path of paths) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), 'mine');
    }
    const before = treeOf(folder);
    await expect(buildTo(folder, [])).rejects.toThrow('name a new or an empty folder');
    expect(treeOf(folder)).toEqual(before);
    expect(before.map(({ path }) => path)).toEqual(paths);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
