import { h } from 'preact';
import { copyIn, type Copy } from './copy/index.ts';
import { documentPage, type Page } from './document.ts';
import type { LanguageLinks, Locale } from './locale.ts';

/** Why there is nothing to do on the page that was asked for. */
export type EndedKind = Exclude<keyof Copy['ended'], 'next'>;

export type EndedPage = {
  readonly locale: Locale;
  readonly kind: EndedKind;
  readonly languageLinks?: LanguageLinks | undefined;
};

/**
 * The page for an attempt that can't be continued: what is the matter, and what
 * to do. It never shows the attempt, so `unknown` is one and the same page for
 * everything that must not be told apart.
 */
export function endedPage({ locale, kind, languageLinks }: EndedPage): Page {
  const copy = copyIn(locale).ended;
  const { title, text, next } = copy[kind];
  return documentPage(
    { locale, languageLinks, title, width: 'narrow' },
    h('h1', null, title),
    h('p', { class: 'lead' }, text),
    h('section', { class: 'panel' }, h('h2', null, copy.next), h('p', null, next)),
  );
}
