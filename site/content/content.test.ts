import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { GROUPS } from './groups.ts';
import { splitTitle } from './markdown.ts';
import { readmePages, readPages, root } from './pages.ts';
import { sidebarOf, ungroupedIn } from './sidebar.ts';
import { boxTables } from './tables.ts';

const pages = readPages();

describe('the navigation', () => {
  it('has each page in a group of site/content/groups.ts', () => {
    expect(ungroupedIn(pages)).toEqual([]);
  });

  it('has a page that no group lists at its end', () => {
    const page = pages.find(({ source }) => source === 'docs/api.md');
    const added = {
      ...page,
      slug: 'new',
      title: 'New',
      source: 'docs/new.md',
    } as (typeof pages)[0];
    expect(ungroupedIn([...pages, added])).toEqual(['new']);
    const labels = sidebarOf([...pages, added]).map(({ label }) => label);
    expect(labels.slice(-2)).toEqual(['More', 'Design decisions']);
  });

  it('has each page once', () => {
    const slugs = GROUPS.flatMap(({ entries }) => entries.map(({ slug }) => slug));
    expect(slugs).toEqual([...new Set(slugs)]);
  });

  it('has each decision', () => {
    const decisions = sidebarOf(pages).at(-1);
    const records = pages.filter(({ slug }) => slug.startsWith('decisions'));
    expect(records.length).toBeGreaterThan(20);
    expect(decisions?.items).toHaveLength(records.length);
  });
});

describe('the Arabic pages', () => {
  const arabic = pages.filter(({ language }) => language === 'ar');

  it('are translations: each has an English page', () => {
    const english = pages.filter(({ language }) => language === 'en');
    const slugs = new Set(english.map(({ slug }) => slug));
    expect(arabic.map(({ slug }) => slug)).toEqual(expect.arrayContaining(['introduction']));
    expect(arabic.filter(({ slug }) => !slugs.has(slug))).toEqual([]);
  });

  /** Each with the locale of its page: an Arabic page that starts in English is a fault too. */
  it('have the commands of README.md, word for word', () => {
    const english = linesOfCode(readFileSync(join(root, 'README.md'), 'utf8'));
    const translated = english.map((line) => line.replace(/(\blocale"?: ?['"])en\b/, '$1ar'));
    const files = [...arabic.map(({ source }) => source), 'site/landing/ar.md'].map(
      (file) => [file, translated] as const,
    );
    for (const [file, commands] of [...files, ['site/landing/en.md', english] as const]) {
      const lines = linesOfCode(readFileSync(join(root, file), 'utf8'));
      expect(
        lines.filter((line) => !commands.includes(line)),
        file,
      ).toEqual([]);
    }
  });
});

function words(markdown: string): readonly string[] {
  return markdown.split(/\s+/).filter(Boolean).toSorted();
}

/** Lines of blocks of code, without the comments at their ends. */
function linesOfCode(text: string): readonly string[] {
  const blocks = [...text.matchAll(/^```\w+\n([\s\S]*?)^```/gm)].map(([, block = '']) => block);
  return blocks.flatMap((block) => block.split('\n').map((line) => line.replace(/ +# .*$/, '')));
}

describe('README.md', () => {
  it('is two pages, and nothing of it is lost', () => {
    const text = readFileSync(join(root, 'README.md'), 'utf8');
    const bodies = readmePages(text).map(({ body }) => body);
    expect(words(bodies.join('\n'))).toEqual(words(splitTitle(text).body));
  });

  it('has to have the sections of the second page', () => {
    expect(() => readmePages('# Title\n\nText.\n')).toThrow('no section "Two commands"');
  });
});

describe('a table', () => {
  it('is in a box that scrolls and that the keyboard reaches', () => {
    const text = 'Before.\n\n| a |\n| - |\n| b |\n\nAfter.\n\n| c |\n';
    const boxed = boxTables(text, 'ar');
    expect(boxed.match(/<div class="table-box" tabindex="0" role="group"/g)).toHaveLength(2);
    expect(boxed).toContain('aria-label="جدول">\n\n| a |\n| - |\n| b |\n\n</div>\n');
  });

  it('is left alone in a block of code', () => {
    const text = '```\n\n| a |\n\n```';
    expect(boxTables(text, 'en')).toBe(text);
  });
});
