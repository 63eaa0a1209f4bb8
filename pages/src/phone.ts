import { h, type JSX } from 'preact';
import { copyIn, type Copy } from './copy/index.ts';
import { documentPage, type Page } from './document.ts';
import { placeLink, type ErrorPlace } from './errors.ts';
import { localized, type LanguageLinks, type Locale, type Localized } from './locale.ts';
import { fill, ltrCode } from './parts.ts';
import { phoneScript } from './scripts.ts';
import { testIds } from './test-ids.ts';

export type PhonePage = {
  readonly locale: Locale;
  readonly languageLinks: LanguageLinks;
  /** The prompts of this scope are shown. Its name is shown unless it is the usual one. */
  readonly scope: string;
  readonly isUsualScope: boolean;
  /** What the services that prompts name are called; others are shown by their names. */
  readonly services: Readonly<Record<string, Localized>>;
  /** Pages of the same origin to go on to. */
  readonly places: readonly ErrorPlace[];
};

/**
 * The phone of the simulated people: what waits for an answer, and the answers. The page has all
 * texts, and `browser/phone.js` fills in what comes over the control API.
 */
export function phonePage(page: PhonePage): Page {
  const { locale, languageLinks } = page;
  const copy = copyIn(locale);
  const { phone } = copy;
  const title = phone.title;
  return documentPage(
    { locale, languageLinks, title, simulation: true, width: 'narrow', script: phoneScript },
    page.places.length === 0
      ? null
      : h(
          'p',
          { class: 'back' },
          page.places.map((place) => placeLink(place, locale)),
        ),
    h('h1', null, title),
    h('p', { class: 'lead' }, phone.text),
    h('noscript', null, h('p', { class: 'notice' }, phone.noScript)),
    h(
      'section',
      {
        class: 'phone',
        'data-phone': true,
        'data-scope': page.scope,
        'data-language': locale,
        'data-here': phone.here,
        'aria-label': title,
      },
      tokenForm(phone),
      controls(page, phone),
      status(phone),
      counted(copy),
      h('ol', { class: 'prompts', 'data-prompts': true }),
      empty(phone),
      h('template', { 'data-prompt': true }, promptCard(copy)),
      Object.entries(page.services).map(([name, service]) =>
        h('template', { 'data-service': name }, localized(service, locale)),
      ),
    ),
  );
}

/** The script adds the people: they are data of the control API, which may ask for its token. */
function controls({ scope, isUsualScope }: PhonePage, phone: Copy['phone']): JSX.Element {
  return h(
    'div',
    { class: 'phone-controls' },
    h('label', { for: 'phone-of' }, phone.whose),
    h(
      'select',
      { id: 'phone-of', 'data-whose': true, 'data-testid': testIds.phoneOf },
      h('option', { value: '' }, phone.everybody),
    ),
    isUsualScope ? null : h('p', { class: 'hint' }, `${phone.scope}: `, ltrCode(scope)),
  );
}

/** Read aloud by screen readers; only one sentence is shown. */
function status(phone: Copy['phone']): JSX.Element {
  return h(
    'div',
    { class: 'phone-status', role: 'status', 'data-testid': testIds.phoneStatus },
    Object.entries(phone.said).map(([name, text]) =>
      h('p', { 'data-said': name, hidden: true }, text),
    ),
    h(
      'p',
      { 'data-said': 'fault', hidden: true },
      phone.fault,
      ' ',
      h('bdi', { 'data-fault': true }),
    ),
  );
}

/** Stays in view while the page is scrolled: what has arrived covers the banner on a narrow screen. */
function counted({ simulation, phone }: Copy): JSX.Element {
  return h(
    'p',
    { class: 'phone-count', 'data-counted': true, hidden: true, 'data-testid': testIds.phoneCount },
    h('strong', null, simulation.title),
    ' ',
    phone.waiting,
    // No line ends before the number.
    '\u00a0',
    h('span', { class: 'number', 'data-count': true }),
  );
}

function empty({ empty: { title, text } }: Copy['phone']): JSX.Element {
  return h(
    'div',
    { class: 'phone-empty', 'data-empty': true, hidden: true, 'data-testid': testIds.phoneEmpty },
    h('h2', null, title),
    h('p', null, text),
  );
}

function tokenForm({ token }: Copy['phone']): JSX.Element {
  const name = ltrCode('SIMULATOR_TOKEN');
  return h(
    'form',
    { class: 'panel', 'data-token': true, hidden: true },
    h('h2', null, token.title),
    h('p', null, fill(token.text, { name })),
    h('p', null, token.scan),
    h('p', { class: 'notice', role: 'alert', 'data-wrong': true, hidden: true }, token.wrong),
    Object.entries(token.code).map(([end, text]) =>
      h('p', { class: 'notice', role: 'alert', 'data-code': end, hidden: true }, text),
    ),
    h('label', { for: 'simulator-token' }, token.field),
    h('input', {
      id: 'simulator-token',
      type: 'password',
      dir: 'ltr',
      autocomplete: 'off',
      required: true,
      'data-testid': testIds.simulatorToken,
    }),
    h('button', { class: 'primary', type: 'submit' }, token.send),
  );
}

function promptCard(copy: Copy): JSX.Element {
  const { phone } = copy;
  const service = h('bdi', { 'data-field': 'service' });
  return h(
    'li',
    { class: 'prompt' },
    h('h2', { tabindex: -1 }, fill(phone.request, { service })),
    h(
      'dl',
      { class: 'prompt-facts' },
      fact(
        phone.person,
        h('bdi', { class: 'person-name', 'data-field': 'name' }),
        h('span', { class: 'number', dir: 'ltr', 'data-field': 'identity' }),
      ),
      known(phone.application, h('bdi', { 'data-field': 'application' })),
      known(phone.place, h('bdi', { 'data-field': 'place' })),
      fact(phone.arrived, h('time', { class: 'number', dir: 'ltr', 'data-field': 'arrived' })),
      fact(phone.left, h('span', { class: 'number', dir: 'ltr', 'data-field': 'left' })),
    ),
    // Drawn by the style: the status has the words, which would be read twice otherwise.
    h('p', { class: 'prompt-result', 'data-result': '', hidden: true }),
    numbers(phone),
    h(
      'div',
      { class: 'prompt-others', role: 'group', 'aria-label': phone.others },
      answer('refuse', copy.signIn.refuse, testIds.refuse),
      answer('not_me', copy.signIn.notMe, testIds.notMe),
      answer('ignore', phone.ignore, testIds.ignore),
    ),
  );
}

function fact(label: string, ...value: JSX.Element[]): JSX.Element {
  return h('div', null, h('dt', null, label), h('dd', null, value));
}

/** Hidden until the script knows it. */
function known(label: string, value: JSX.Element): JSX.Element {
  return h('div', { hidden: true }, h('dt', null, label), h('dd', null, value));
}

/** Three numbers to pick from, or one to type. */
function numbers(phone: Copy['phone']): JSX.Element {
  return h(
    'fieldset',
    { class: 'prompt-numbers' },
    h('legend', null, phone.pick),
    h('div', { 'data-numbers': true }),
    h(
      'details',
      null,
      h('summary', null, phone.type),
      h(
        'form',
        { 'data-type': true },
        h('input', {
          'aria-label': phone.typed,
          dir: 'ltr',
          inputmode: 'numeric',
          autocomplete: 'off',
          required: true,
          'data-testid': testIds.typedNumber,
        }),
        h(
          'button',
          { class: 'primary', type: 'submit', 'data-testid': testIds.approve },
          phone.send,
        ),
      ),
    ),
  );
}

function answer(decision: string, text: string, testId: string): JSX.Element {
  return h(
    'button',
    { class: 'secondary', type: 'button', value: decision, 'data-testid': testId },
    text,
  );
}
