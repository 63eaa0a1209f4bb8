import { h } from 'preact';
import { copyIn } from './copy/index.ts';
import { documentPage, type Page } from './document.ts';
import { linkCards, type HomePage } from './home.ts';
import { commandBlock, facts, fill, ltrCode } from './parts.ts';
import { commandsScript } from './scripts.ts';

export type StrictHomePage = Pick<HomePage, 'locale' | 'baseUrl' | 'links' | 'languageLinks'> & {
  /** The key of the built-in client; null where a file names the clients. */
  readonly key: string | null;
  /** The commands of one sign-in by phone, in their order; empty for none. */
  readonly lines: readonly string[];
};

/**
 * The page at `/` in strict mode: the key that a client sends, the links, and why nobody can sign in
 * from this page.
 */
export function strictHomePage(page: StrictHomePage): Page {
  const { locale, languageLinks, key, lines } = page;
  const copy = copyIn(locale);
  const { strictHome, home } = copy;
  const script = lines.length > 0 ? commandsScript : undefined;
  const keyOfFile = fill(strictHome.keyOfFile, { setting: ltrCode('CLIENTS_FILE') });
  return documentPage(
    { locale, languageLinks, title: copy.product, simulation: true, width: 'wide', script },
    h('h1', null, strictHome.title),
    h('p', { class: 'lead' }, strictHome.text),
    h('p', { class: 'notice' }, strictHome.why),
    facts([
      [home.baseUrl, ltrCode(page.baseUrl)],
      [strictHome.key, key === null ? keyOfFile : ltrCode(key)],
      [strictHome.header, ltrCode('Authorization: Bearer')],
    ]),
    linkCards(page.links, home),
    lines.length > 0
      ? [h('h2', null, home.tryIt), commandBlock(lines.join('\n'), strictHome.lines, copy.commands)]
      : null,
  );
}
