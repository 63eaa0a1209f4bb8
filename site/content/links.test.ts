import { describe, expect, it } from 'vitest';
import { rewriteLinks } from './links.ts';
import type { Page } from './page.ts';

const api = pageOf('docs/api.md', 'api');
const errors = { ...pageOf('docs/errors.md', 'errors'), title: 'Errors' };
const start = pageOf('README.md', 'introduction');
const arabic: Page = { ...pageOf('docs/ar/introduction.md', 'introduction'), language: 'ar' };
const record = pageOf('decisions/0001-states.md', 'decisions/0001-states');
const landing: Page = { ...pageOf('site/landing/ar.md', ''), language: 'ar' };
const pages = [api, errors, start, arabic, record];

function pageOf(source: string, slug: string): Page {
  return { language: 'en', slug, source, title: slug, body: '' };
}

function rewrite(page: Page, body: string, sourceUrl?: string): string {
  return rewriteLinks(
    { ...page, body },
    {
      folder: 'site/pages',
      find: (path) => pages.find(({ source }) => source === path),
      translated: new Set(['introduction']),
      sourceUrl,
    },
  );
}

describe('a link to another document', () => {
  it.each([
    ['beside it', api, '[x](errors.md)', '[x](../errors/)'],
    ['with a heading', api, '[x](errors.md#the-body)', '[x](../errors/#the-body)'],
    [
      'in another folder',
      api,
      '[x](../decisions/0001-states.md)',
      '[x](../decisions/0001-states/)',
    ],
    ['from another folder', record, '[x](../docs/api.md)', '[x](../../api/)'],
    ['from the first page', landing, '[x](../../docs/api.md)', '[x](api/)'],
    ['in the same language', arabic, '[x](../api.md)', '[x](../api/)'],
    ['to the English original', arabic, '[x](../../README.md)', '[x](../../en/introduction/)'],
    ['to the translation', api, '[x](ar/introduction.md)', '[x](../../ar/introduction/)'],
    ['to itself', api, '[x](api.md#limits)', '[x](./#limits)'],
    ['called by its file', api, '[errors.md](errors.md)', '[Errors](../errors/)'],
    ['with code in its text', api, '[the `x` of it](errors.md)', '[the `x` of it](../errors/)'],
  ])('%s leads to its page', (_, page, before, after) => {
    expect(rewrite(page, before)).toBe(after);
  });
});

describe('a link that is no link to a page', () => {
  it.each([
    ['on the same page', '[x](#limits)', '[x](#limits)'],
    ['elsewhere', '[x](https://example.org/a.md)', '[x](https://example.org/a.md)'],
    ['in code', '`[x](errors.md)`', '`[x](errors.md)`'],
    ['in a block', '```md\n[x](errors.md)\n```', '```md\n[x](errors.md)\n```'],
    ['a picture', '![x](images/a.webp)', '![x](../../../docs/images/a.webp)'],
    ['a file', '[the people](../people.json)', 'the people (`people.json`)'],
    ['a file by its name', '[people.json](../people.json)', '`people.json`'],
    ['a folder', '[examples/](../examples/)', '`examples`'],
  ])('%s stays, or names the file', (_, before, after) => {
    expect(rewrite(api, before)).toBe(after);
  });

  it('leads to the file, where the files are shown', () => {
    const after = '[the people](https://example.org/source/people.json)';
    expect(rewrite(api, '[the people](../people.json)', 'https://example.org/source')).toBe(after);
  });
});
