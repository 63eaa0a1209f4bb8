import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { buildSite } from './build-site.ts';

/** What is not built. The site itself is built at length: test/build.test.ts. */

it.each([
  [{ base: 'docs' }, '--base is a path'],
  [{ base: 'https://example.org/' }, '--base is a path'],
  [{ sourceUrl: 'example.org' }, '--source is an address'],
])('%o is refused', async (options, message) => {
  await expect(buildSite({ out: 'site/dist', base: '/', ...options })).rejects.toThrow(message);
});

it('a folder with other files is left alone', async () => {
  const out = mkdtempSync(join(tmpdir(), 'miftah-site-'));
  const file = join(out, 'mine.txt');
  writeFileSync(file, 'mine');
  try {
    await expect(buildSite({ out, base: '/' })).rejects.toThrow('has other files');
    expect(readFileSync(file, 'utf8')).toBe('mine');
  } finally {
    rmSync(out, { recursive: true });
  }
});
