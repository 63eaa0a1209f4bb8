import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { hasSitePackages } from '../../scripts/site.mjs';
import { findBrokenLinks } from '../check-links.ts';
import { readPages } from '../content/pages.ts';
import { BUILD_MS, builtSite } from './support/built-site.ts';

const isReady = hasSitePackages();

it(
  'every document is a page in both languages, and every link leads somewhere',
  async () => {
    if (!isReady) return;
    const site = await builtSite();
    const files = readPages().flatMap(({ slug }) =>
      ['ar', 'en'].map((language) => join(site.folder, language, slug, 'index.html')),
    );
    expect(files.filter((file) => !existsSync(file))).toEqual([]);
    expect(findBrokenLinks(site)).toEqual([]);
  },
  BUILD_MS,
);

it(
  'the first page of the host leads to the Arabic one',
  async () => {
    if (!isReady) return;
    const { folder } = await builtSite();
    const html = readFileSync(join(folder, 'index.html'), 'utf8');
    expect(html).toContain('content="0; url=ar/"');
    expect(html).toContain('href="en/"');
  },
  BUILD_MS,
);

it(
  'the files name no folder of this machine',
  async () => {
    if (!isReady) return;
    const { folder } = await builtSite();
    const root = join(import.meta.dirname, '../..');
    const files = ['ar/index.html', 'en/performance/index.html', 'en/api/index.html'];
    for (const file of files) expect(readFileSync(join(folder, file), 'utf8')).not.toContain(root);
  },
  BUILD_MS,
);
