// Links of documents are written for readers of the repository. On the site they lead to pages.

import { posix } from 'node:path';
import { plainText, replaceLinks, type Link } from './markdown.ts';
import type { Page, Place } from './page.ts';

export type LinkOptions = {
  /** Where the pages will be written, from the root of the repository. */
  readonly folder: string;
  /** The page that a file is shown on, if there is one. */
  readonly find: (path: string, anchor: string) => Page | undefined;
  /** The slugs that there are in Arabic too. */
  readonly translated: ReadonlySet<string>;
  /** The address of the repository's files, for those that are no page. */
  readonly sourceUrl: string | undefined;
};

export function rewriteLinks(page: Page, options: LinkOptions): string {
  return replaceLinks(page.body, (link) => rewrite(link, page, options));
}

function rewrite(link: Link, page: Page, options: LinkOptions): string {
  const { isPicture, shown, target, whole } = link;
  if (/^[a-z][a-z0-9+.-]*:/i.test(target)) return whole;
  const [file = '', anchor = ''] = target.split('#');
  if (file === '' && page.source !== 'README.md') return whole;
  const path =
    file === '' ? page.source : posix.join(posix.dirname(page.source), file).replace(/\/$/, '');
  if (isPicture) return `![${shown}](${pictureFrom(page, path, options)})`;
  const to = options.find(path, anchor);
  if (to === undefined) return toSource(shown, path, options);
  // A file's name says nothing to a reader who does not see the files.
  const text = /^[\w./-]+\.md$/.test(plainText(shown)) ? to.title : shown;
  return `[${text}](${hrefBetween(page, to, options.translated)}${anchor === '' ? '' : `#${anchor}`})`;
}

/** The generated file imports the picture, and the build copies it. */
function pictureFrom({ language, slug }: Page, path: string, { folder }: LinkOptions): string {
  const from = posix.dirname(posix.join(folder, language, slug === '' ? 'index' : slug));
  return posix.relative(from, path);
}

/**
 * Relative, so that the site works below any path, and an English page that is shown among Arabic
 * ones leads to the Arabic page where there is one. Only a document that names a file of the other
 * language leaves its own.
 */
function hrefBetween(from: Place, to: Place, translated: ReadonlySet<string>): string {
  const leaves = to.language !== from.language && translated.has(to.slug);
  const here = leaves ? `/${from.language}/${from.slug}` : `/${from.slug}`;
  const there = leaves ? `/${to.language}/${to.slug}` : `/${to.slug}`;
  const path = posix.relative(here, there);
  return path === '' ? './' : `${path}/`;
}

function toSource(shown: string, path: string, { sourceUrl }: LinkOptions): string {
  if (sourceUrl !== undefined) return `[${shown}](${sourceUrl}/${path})`;
  const isName = path.endsWith(plainText(shown).replace(/\/$/, ''));
  return isName ? `\`${path}\`` : `${shown} (\`${path}\`)`;
}
