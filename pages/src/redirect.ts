import { h } from 'preact';
import { safeAddress } from './address.ts';
import { copyIn } from './copy/index.ts';
import { documentPage, type Page } from './document.ts';
import type { Locale } from './locale.ts';
import { inShape } from './shape.ts';
import { testIds } from './test-ids.ts';

export type RedirectPage = {
  readonly locale: Locale;
  readonly address: string;
};

/**
 * Answers a form that leads to another origin. Chromium applies the form's policy (`form-action`)
 * to every redirect that follows the form, on whatever hosts, but not to where a page leads. The
 * header of `redirectHeader` takes the browser on, without a script; the link does it where the
 * browser follows no such header.
 */
export function redirectPage({ locale, address }: RedirectPage): Page {
  const values = { address: safeAddress(address) };
  return inShape(['redirect', locale], values, (valueOf) =>
    renderRedirect(locale, valueOf('address')),
  );
}

function renderRedirect(locale: Locale, address: string): Page {
  const { title, text, next } = copyIn(locale).redirect;
  const link = { class: 'primary', href: safeAddress(address), 'data-testid': testIds.onward };
  return documentPage(
    { locale, title, width: 'narrow' },
    h('h1', null, title),
    h('p', { class: 'lead' }, text),
    h('div', { class: 'decisions' }, h('a', link, next)),
  );
}

/**
 * The value of the page's `Refresh` header. A browser that follows it puts the next page in the
 * place of this one in its history (HTML section 8.2, "shared declarative refresh steps"), so that
 * Back does not stop here.
 * @throws TypeError for an address that is not http or https
 */
export function redirectHeader(address: string): string {
  if (safeAddress(address) !== address || !URL.canParse(address)) {
    throw new TypeError('A page redirects to complete http and https addresses only.');
  }
  return `0;url=${address}`;
}
