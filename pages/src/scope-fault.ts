import { h } from 'preact';
import { copyIn } from './copy/index.ts';
import { documentPage, type Page } from './document.ts';
import type { LanguageLinks, Locale } from './locale.ts';

/** In place of a page for developers whose address has no name of a scope. */
export function scopeFaultPage(page: {
  readonly locale: Locale;
  readonly languageLinks: LanguageLinks;
}): Page {
  const { title, text, usual } = copyIn(page.locale).scopeFault;
  return documentPage(
    { ...page, title, simulation: true, width: 'narrow' },
    h('h1', null, title),
    h('p', { class: 'lead' }, text),
    h('p', null, h('a', { href: page.languageLinks[page.locale] }, usual)),
  );
}
