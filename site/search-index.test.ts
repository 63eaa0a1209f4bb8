import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { emptySearchFilesIn } from './search-index.ts';

function siteWith(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'miftah-search-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, 'pagefind', 'index'), { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

const WHOLE = { 'pagefind/pagefind-entry.json': '{}', 'pagefind/index/ar.pf_index': 'x' };

it.each([
  ['whole', WHOLE, []],
  [
    'without the text of its list',
    { ...WHOLE, 'pagefind/pagefind-entry.json': '' },
    ['pagefind-entry.json'],
  ],
  ['without the text of an index', { ...WHOLE, 'pagefind/index/ar.pf_index': '' }, ['ar.pf_index']],
  ['without its list', { 'pagefind/index/ar.pf_index': 'x' }, ['pagefind-entry.json']],
])('the search of a site is %s', (_, files, empty) => {
  expect(emptySearchFilesIn(siteWith(files))).toEqual(empty);
});
