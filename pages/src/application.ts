import { h } from 'preact';
import { returnLink } from './address.ts';
import { copyIn } from './copy/index.ts';
import { isolatedName } from './direction.ts';
import { documentPage, type Page } from './document.ts';
import { localized, type Locale, type Localized } from './locale.ts';
import { fill } from './parts.ts';
import { testIds } from './test-ids.ts';

export type ApplicationPage = {
  readonly locale: Locale;
  /** An address that opens the application, with what the browser brings there. */
  readonly address: string;
  /** The name of the application. */
  readonly application: Localized;
};

/**
 * Leads back to an application on the device. A browser opens one only when the person asks for it,
 * so this page does not go on by itself.
 */
export function applicationPage({ locale, address, application }: ApplicationPage): Page {
  const { title, text, next, hint } = copyIn(locale).application;
  const name = localized(application, locale);
  const service = h('bdi', null, name);
  const link = { class: 'primary', href: returnLink(address), 'data-testid': testIds.onward };
  return documentPage(
    { locale, title: title.replace('{service}', () => isolatedName(name)), width: 'narrow' },
    h('h1', null, fill(title, { service })),
    h('p', { class: 'lead' }, text),
    h('div', { class: 'decisions' }, h('a', link, fill(next, { service }))),
    h('p', null, hint),
  );
}
