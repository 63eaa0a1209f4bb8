import { h } from 'preact';
import { safeAddress } from './address.ts';
import { copyIn } from './copy/index.ts';
import { isolatedName } from './direction.ts';
import { documentPage, type Page } from './document.ts';
import {
  localized,
  otherLocale,
  type LanguageLinks,
  type Locale,
  type Localized,
} from './locale.ts';
import { fill } from './parts.ts';
import { inShape } from './shape.ts';
import { pushScript } from './scripts.ts';
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
  /** The last digits of the national id whose phone is asked; null for a sign-in in the browser. */
  readonly phoneOf?: string | null;
};

/**
 * The page before the browser goes to the provider: names the application, and has a button. A
 * person who was sent here by somebody else sees what they would sign in to. A program that only
 * follows links starts nothing. The warning comes first and weighs most: whoever did not ask for
 * this sign-in has to read it before the button. No button ends the attempt: before the first press
 * no browser is bound to it, so whoever has the address could end the sign-in of somebody else.
 */
export function launchPage(page: LaunchPage): Page {
  const { locale, rehearsal, simulation, phoneOf = null, languageLinks } = page;
  const service = localized(page.service, locale);
  const other = otherLocale(locale);
  const values = {
    attemptId: page.attemptId,
    secret: page.secret,
    action: safeAddress(page.action),
    language: safeAddress(languageLinks[other]),
  };
  return inShape(['launch', locale, service, rehearsal, simulation, phoneOf], values, (valueOf) =>
    renderLaunch({
      ...page,
      attemptId: valueOf('attemptId'),
      secret: valueOf('secret'),
      action: valueOf('action'),
      languageLinks: { ...languageLinks, [other]: valueOf('language') },
    }),
  );
}

function renderLaunch(page: LaunchPage): Page {
  const { launch } = copyIn(page.locale);
  const name = localized(page.service, page.locale);
  const service = h('bdi', null, h('strong', null, name));
  const { phoneOf = null } = page;
  const says = phoneOf === null ? launch.text : fill(launch.phone, { digits: number(phoneOf) });
  return documentPage(
    {
      ...page,
      title: launch.title.replace('{service}', () => isolatedName(name)),
      width: 'narrow',
      referrer: 'same-origin',
    },
    h('h1', null, fill(launch.title, { service: h('bdi', null, name) })),
    h('p', { class: 'notice warning' }, fill(launch.warning, { service })),
    h('p', { class: 'hint' }, says, page.rehearsal ? ` ${launch.rehearsal}` : null),
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
          phoneOf === null ? launch.button : launch.phoneButton,
        ),
      ),
    ),
  );
}

export type NumberPage = Pick<
  LaunchPage,
  'locale' | 'languageLinks' | 'service' | 'rehearsal' | 'simulation'
> & {
  /** To be matched on the phone. */
  readonly number: string;
  /** Answers JSON, later, whether the push is still open: `isOpen`. */
  readonly events: string;
};

/** The page with the number of a push. It is loaded anew when the person has answered. */
export function numberPage(page: NumberPage): Page {
  const { launch, push } = copyIn(page.locale);
  const name = localized(page.service, page.locale);
  return documentPage(
    {
      ...page,
      title: launch.title.replace('{service}', () => isolatedName(name)),
      width: 'narrow',
      script: pushScript,
    },
    h('h1', null, fill(launch.title, { service: h('bdi', null, name) })),
    h('p', { class: 'lead' }, push.text),
    h('p', { class: 'push-number', 'data-testid': testIds.pushNumber }, number(page.number)),
    h('p', { class: 'notice warning' }, push.warning),
    h(
      'p',
      { class: 'hint', 'data-push': page.events },
      push.waits,
      page.rehearsal ? ` ${launch.rehearsal}` : null,
    ),
    h('p', null, h('a', { href: '' }, push.next)),
  );
}

const number = (digits: string) => h('bdi', { class: 'number', dir: 'ltr' }, digits);
