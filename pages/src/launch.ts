import { h } from 'preact';
import { safeAddress } from './address.ts';
import { copyIn } from './copy/index.ts';
import { isolatedName } from './direction.ts';
import { documentPage, type Page } from './document.ts';
import { localized, type LanguageLinks, type Locale, type Localized } from './locale.ts';
import { fill } from './parts.ts';
import { testIds } from './test-ids.ts';

export type LaunchPage = {
  readonly locale: Locale;
  readonly languageLinks: LanguageLinks;
  /** Posted in the hidden field `state`. */
  readonly attemptId: string;
  /** The secret of the browser that shows this page, posted in the hidden field `secret`. */
  readonly secret: string;
  readonly action: string;
  /** The application that the person signs in to. */
  readonly service: Localized;
  readonly rehearsal: boolean;
  /** Whether it says first that nobody is real. */
  readonly simulation?: boolean;
};

/**
 * The page before the browser goes to the provider: names the application, and has a button. A
 * person who was sent here by somebody else sees what they would sign in to. A program that only
 * follows links starts nothing. The warning comes first and weighs most: whoever did not ask for
 * this sign-in has to read it before the button.
 */
export function launchPage(page: LaunchPage): Page {
  const { launch } = copyIn(page.locale);
  const name = localized(page.service, page.locale);
  const service = h('bdi', null, h('strong', null, name));
  return documentPage(
    {
      ...page,
      title: launch.title.replace('{service}', () => isolatedName(name)),
      width: 'narrow',
      referrer: 'same-origin',
    },
    h('h1', null, fill(launch.title, { service: h('bdi', null, name) })),
    h('p', { class: 'notice warning' }, fill(launch.warning, { service })),
    h('p', { class: 'hint' }, launch.text, page.rehearsal ? ` ${launch.rehearsal}` : null),
    h(
      'form',
      { method: 'post', action: safeAddress(page.action) },
      h('input', { type: 'hidden', name: 'state', value: page.attemptId }),
      h('input', { type: 'hidden', name: 'secret', value: page.secret }),
      h(
        'div',
        { class: 'decisions' },
        h(
          'button',
          { class: 'primary', type: 'submit', 'data-testid': testIds.launch },
          launch.button,
        ),
      ),
    ),
  );
}
