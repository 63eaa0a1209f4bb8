import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { findBrokenLinks } from './check-links.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

/** A site with this link on its first page, beside a page with one heading. */
function brokenIn(html: string): readonly string[] {
  const folder = mkdtempSync(join(tmpdir(), 'miftah-site-links-'));
  folders.push(folder);
  const files = { 'index.html': html, 'api/index.html': '<h2 id="a b">A</h2>', 'a.css': '' };
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return findBrokenLinks({ folder, base: '/base/' });
}

it.each([
  '<a href="api/">',
  '<a href="/base/api/#a%20b">',
  '<link rel="stylesheet" href="/base/a.css">',
  '<a href="https://example.org/">',
  '<img src="data:image/svg+xml,x">',
])('%s is right', (html) => {
  expect(brokenIn(html)).toEqual([]);
});

it.each([
  ['<a href="none/">', 'leads to nothing'],
  ['<a href="api">', 'leads to nothing'],
  ['<a class="x" href="api/#none">', 'leads to a heading that is not there'],
  ['<a href="/api/">', 'leads out of /base/'],
  ['<a href="api.md">', 'leads to nothing'],
  ['<img src="a.webp" alt="">', 'leads to nothing'],
  ['<script src="https://example.org/a.js">', 'is loaded from another origin'],
  ['<link rel="stylesheet" href="//example.org/a.css">', 'is loaded from another origin'],
])('%s is found', (html, fault) => {
  expect(brokenIn(html)).toEqual([expect.stringContaining(fault)]);
});
