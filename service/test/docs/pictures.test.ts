import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { fileOf, LOOKS, SHOWN } from '../support/pictures/names.ts';
import { documentsIn, readDocument } from './documents.ts';

const FOLDER = join(import.meta.dirname, '../../../docs/images');
const MOST_BYTES = 4_500_000;

const pictures = readdirSync(FOLDER).filter((name) => !name.endsWith('.svg'));

it('docs/images has each page in each look, and no other picture (npm run pictures)', () => {
  const wanted = SHOWN.flatMap((shown) => LOOKS.map((look) => fileOf(shown, look)));
  expect(pictures.toSorted()).toEqual(wanted.toSorted());
});

it('the pictures are small', () => {
  const bytes = pictures.map((name) => statSync(join(FOLDER, name)).size);
  expect(bytes.reduce((sum, size) => sum + size, 0)).toBeLessThan(MOST_BYTES);
});

it('the documents show only pictures that are there', () => {
  for (const path of [...documentsIn('docs'), 'README.md', 'simulator/README.md']) {
    const shown = [...readDocument(path).matchAll(/images\/([\w-]+\.(?:webp|png))/g)];
    for (const [, name = ''] of shown) expect(pictures, path).toContain(name);
  }
});
