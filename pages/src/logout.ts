import { h } from 'preact';
import { safeAddress } from './address.ts';
import { copyIn } from './copy/index.ts';
import { isolatedName } from './direction.ts';
import { documentPage, type Page } from './document.ts';
import { localized, type LanguageLinks, type Locale, type Localized } from './locale.ts';
import { fill } from './parts.ts';
import { testIds } from './test-ids.ts';

export type LogoutPage = {
  readonly locale: Locale;
  readonly languageLinks?: LanguageLinks | undefined;
  readonly action: string;
  /** Known to this browser alone, posted in the hidden field `xsrf`. */
  readonly secret: string;
  /** The application whose sign-in ends; null where it is not known any more. */
  readonly service: Localized | null;
  /** Whether several applications share the sign-in that ends. */
  readonly isOfSeveral?: boolean;
};

/** Asks the person before something ends: anybody can send a browser to this page. */
export function logoutPage(page: LogoutPage): Page {
  const { logout } = copyIn(page.locale);
  const { service, isOfSeveral = false } = page;
  const unnamed = isOfSeveral ? logout.several : logout.unknown;
  const name = service === null ? unnamed : localized(service, page.locale);
  return documentPage(
    {
      ...page,
      title: logout.title.replace('{service}', () => isolatedName(name)),
      width: 'narrow',
    },
    h('h1', null, fill(logout.title, { service: h('bdi', null, name) })),
    h('p', { class: 'lead' }, isOfSeveral ? logout.textOfSeveral : logout.text),
    h('p', { class: 'hint' }, logout.hint),
    h(
      'form',
      { method: 'post', action: safeAddress(page.action) },
      h('input', { type: 'hidden', name: 'xsrf', value: page.secret }),
      h('input', { type: 'hidden', name: 'logout', value: 'yes' }),
      h(
        'div',
        { class: 'decisions' },
        h(
          'button',
          { class: 'primary', type: 'submit', 'data-testid': testIds.logOut },
          logout.button,
        ),
      ),
    ),
  );
}
