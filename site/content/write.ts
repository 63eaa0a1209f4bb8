// Writes the documents as the content of the site.

import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { rewriteLinks } from './links.ts';
import { plainText } from './markdown.ts';
import type { Language, Page } from './page.ts';
import { finderOf, readPages, root } from './pages.ts';
import { boxTables } from './tables.ts';

const FOLDER = 'site/src/content/docs';
const LANGUAGES: readonly Language[] = ['ar', 'en'];
const LONGEST_DESCRIPTION = 200;

export function writeContent(sourceUrl: string | undefined): readonly Page[] {
  const pages = readPages();
  const arabic = pages.filter(({ language }) => language === 'ar');
  const translated = new Set(arabic.map(({ slug }) => slug));
  const options = { folder: FOLDER, find: finderOf(pages), translated, sourceUrl };
  rmSync(join(root, FOLDER), { recursive: true, force: true });
  for (const page of pages) {
    const body = boxTables(rewriteLinks(page, options), page.language);
    write(page, `${frontMatter(page)}\n${body}\n`);
  }
  for (const language of LANGUAGES) {
    const page = readLanding(language);
    write(page, `${rewriteLinks(page, options)}\n`);
  }
  copyFileSync(join(root, 'pages/src/key.svg'), join(root, 'site/public/key.svg'));
  return pages;
}

/** The first page of a language has its own front matter. */
function readLanding(language: Language): Page {
  const source = `site/landing/${language}.md`;
  const body = readFileSync(join(root, source), 'utf8').trim();
  return { language, slug: '', source, title: '', body };
}

function write({ language, slug }: Page, text: string): void {
  const file = join(root, FOLDER, language, `${slug === '' ? 'index' : slug}.md`);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/** JSON is YAML too, so no text can break out of its quotes. */
function frontMatter({ title, body }: Page): string {
  const values = { title, description: describe(body) };
  const lines = Object.entries(values).map(([key, value]) => `${key}: ${JSON.stringify(value)}`);
  return ['---', ...lines, '---', ''].join('\n');
}

/** The first paragraph, as far as whole sentences of it fit. */
function describe(body: string): string {
  const paragraph = body.split('\n\n').find((text) => /^[\p{L}"'`[«]/u.test(text)) ?? '';
  const sentences = plainText(paragraph).split(/(?<=[.!?؟:])\s/);
  let description = sentences[0] ?? '';
  for (const sentence of sentences.slice(1)) {
    if (description.length + sentence.length > LONGEST_DESCRIPTION) break;
    description += ` ${sentence}`;
  }
  return description;
}
