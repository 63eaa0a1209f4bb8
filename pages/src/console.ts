import { h } from 'preact';
import { consoleFiles } from './console-files.ts';
import { copyIn } from './copy/index.ts';
import { documentPage, type Page, type PageFiles } from './document.ts';
import type { LanguageLinks, Locale } from './locale.ts';
import { fill, ltrCode } from './parts.ts';

export type ConsolePage = {
  readonly locale: Locale;
  readonly languageLinks: LanguageLinks;
  /** What the console shows is of this scope. */
  readonly scope: string;
  /** Whether the attempt API and its documents are at the same origin. */
  readonly besideService: boolean;
};

/**
 * The console of the simulator: the frame of a page, which its script fills with what it is told
 * over the control API. Null as long as script and style are not built.
 */
export function consolePage(page: ConsolePage): Page | null {
  const files = consoleFiles();
  return files && pageWith(page, files);
}

function pageWith(page: ConsolePage, files: PageFiles): Page {
  const { locale, languageLinks, scope } = page;
  const copy = copyIn(locale).console;
  const service = page.besideService ? 'yes' : 'no';
  const home = page.besideService ? `/?locale=${locale}` : undefined;
  return documentPage(
    { locale, languageLinks, title: copy.title, simulation: true, width: 'full', files, home },
    h('noscript', null, h('p', { class: 'notice' }, copy.noScript)),
    h('div', {
      id: 'console',
      'data-scope': scope,
      'data-language': locale,
      'data-service': service,
    }),
  );
}

/** In the place of the console, while it is not built. */
export function consoleMissingPage({
  locale,
  languageLinks,
}: Pick<ConsolePage, 'locale' | 'languageLinks'>): Page {
  const { title, missing } = copyIn(locale).console;
  const command = ltrCode('node scripts/setup.mjs');
  return documentPage(
    { locale, languageLinks, title, simulation: true, width: 'narrow' },
    h('h1', null, missing.title),
    h('p', { class: 'lead' }, fill(missing.text, { command })),
  );
}
