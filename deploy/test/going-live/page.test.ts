import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { root } from '../../../scripts/run.mjs';
import { blocksOf, notPrinted } from '../support/going-live/page.ts';

/** How docs/going-live.md and docs/backup.md are read, whose commands steps.test.ts runs at length. */

it('the pages say which commands only a booted machine runs, and these are few', () => {
  const blocks = ['docs/going-live.md', 'docs/backup.md'].flatMap((page) => blocksOf(page));
  const left = blocks.filter(({ kind }) => kind === 'booted');
  expect(left.map(({ heading }) => heading)).toEqual(['6. Start it', '6. Start it']);
  expect(blocks.length).toBeGreaterThan(20);
  for (const { script } of blocks) expect(script).not.toMatch(/npx |npm start/);
});

it('no reader is told of the marks of the blocks, which a rendered page does not show', () => {
  for (const page of ['docs/going-live.md', 'docs/backup.md']) {
    const text = readFileSync(join(root, page), 'utf8');
    const shown = text.replaceAll(/<!--[^]*?-->/g, '').replaceAll(/^```sh .*$/gm, '');
    expect(shown, page).not.toMatch(/keeps-running|`booted`/);
  }
});

it('a line that is not printed is found, and so is one at another place', () => {
  expect(notPrinted(['a…', '…c'], 'a b\nb c\n')).toBeNull();
  expect(notPrinted(['…c', 'a…'], 'a b\nb c\n')).toBe('a…');
  expect(notPrinted(['a'], 'a b\n')).toBe('a');
});
