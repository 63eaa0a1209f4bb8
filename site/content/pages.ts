// Which file of the repository becomes which page.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { anchorsIn, splitSections, splitTitle } from './markdown.ts';
import type { Page, Place } from './page.ts';

export const root = dirname(dirname(import.meta.dirname));

/** Documents outside of `docs/` and `decisions/`, and the slugs of their pages. */
const OTHERS: Readonly<Record<string, string>> = {
  'CHANGELOG.md': 'changelog',
  'SECURITY.md': 'security',
  'STYLE.md': 'style',
  'client/PACKAGE.md': 'client-promises',
  'decisions/README.md': 'decisions',
  'examples/web/README.md': 'web-example',
  'pages/README.md': 'pages',
  'simulator/README.md': 'simulator-reference',
};

/** The sections of README.md that are the page `quick-start`. The others are `introduction`. */
const QUICK_START = [
  'Two commands',
  'A login in three lines',
  'From your application',
  'Test people',
];

export function readPages(): readonly Page[] {
  const paths = [...markdownIn('docs'), ...markdownIn('docs/ar'), ...markdownIn('decisions')];
  const files = [...new Set([...paths, ...Object.keys(OTHERS)])].filter((path) =>
    existsSync(join(root, path)),
  );
  return [...readmePages(read('README.md')), ...files.map(readPage)];
}

function markdownIn(folder: string): readonly string[] {
  if (!existsSync(join(root, folder))) return [];
  const names = readdirSync(join(root, folder)).filter((name) => name.endsWith('.md'));
  return names.toSorted().map((name) => `${folder}/${name}`);
}

function read(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

function readPage(source: string): Page {
  const place = placeOfFile(source);
  const { title, body } = splitTitle(read(source));
  if (place === undefined || title === '') {
    throw new Error(`${source} has no place on the site, or does not begin with a heading "# "`);
  }
  return { ...place, source, title, body };
}

/** Where a file is shown; undefined when it is no page. */
function placeOfFile(path: string): Place | undefined {
  const other = OTHERS[path];
  if (other !== undefined) return { language: 'en', slug: other };
  const [, arabic] = /^docs\/ar\/([^/]+)\.md$/.exec(path) ?? [];
  if (arabic !== undefined) return { language: 'ar', slug: arabic };
  const [, folder, name] = /^(docs|decisions)\/([^/]+)\.md$/.exec(path) ?? [];
  if (name === undefined) return undefined;
  return { language: 'en', slug: folder === 'docs' ? name : `decisions/${name}` };
}

/** Divides README.md, which has more than one page's worth of text. */
export function readmePages(text: string): readonly Page[] {
  const { before, sections } = splitSections(splitTitle(text).body);
  const missing = QUICK_START.filter((name) => !sections.some(({ heading }) => heading === name));
  if (missing.length > 0) {
    throw new Error(`README.md has no section "${missing.join('", "')}" for the page quick-start`);
  }
  const isQuick = ({ heading }: { heading: string }) => QUICK_START.includes(heading);
  const textOf = (chosen: typeof sections) => chosen.map((section) => section.text).join('\n\n');
  const rest = textOf(sections.filter((section) => !isQuick(section)));
  const common = { language: 'en', source: 'README.md' } as const;
  return [
    { ...common, slug: 'introduction', title: 'Introduction', body: `${before}\n\n${rest}` },
    {
      ...common,
      slug: 'quick-start',
      title: 'Quick start',
      body: textOf(sections.filter(isQuick)),
    },
  ];
}

/** Finds the page that a linked file is shown on; undefined when it is no page of the site. */
export function finderOf(pages: readonly Page[]) {
  const quickStart = pages.find(({ slug, source }) => isReadme(source) && slug === 'quick-start');
  const anchors = anchorsIn(quickStart?.body ?? '');
  return (path: string, anchor: string): Page | undefined =>
    isReadme(path) && anchors.includes(anchor)
      ? quickStart
      : pages.find(({ source }) => source === path);
}

function isReadme(path: string): boolean {
  return path === 'README.md';
}
