import { h, type ComponentChild, type JSX } from 'preact';
import { copyIn, type Copy } from './copy/index.ts';
import { documentPage, type Page } from './document.ts';
import type { LanguageLinks, Locale } from './locale.ts';
import { commandBlock, facts, ltrCode } from './parts.ts';
import { personNames, type Person } from './people.ts';
import { personCard } from './sign-in.ts';

export type DesignPage = { readonly locale: Locale; readonly languageLinks: LanguageLinks };

/** The colours of the style sheet, by their names in it. A test holds the list to the sheet. */
export const COLOURS = [
  'paper',
  'sheet',
  'sunken',
  'ink',
  'ink-soft',
  'line',
  'line-strong',
  'accent',
  'accent-strong',
  'accent-wash',
  'on-accent',
  'brass',
  'brass-wash',
  'brass-ink',
] as const;

const PEOPLE: readonly Person[] = [
  {
    id: 'first',
    arabicName: 'أمل سالم ناصر النموذجي',
    englishName: 'Amal Salem Nasser Alnamuthaji',
    kind: 'citizen',
    nationalId: '1000001101',
    default: true,
  },
  {
    id: 'second',
    arabicName: 'كوسوما',
    englishName: 'Kusuma',
    kind: 'resident',
    nationalId: '2000005501',
    default: false,
  },
];

/** What all pages are made of, on one page: colours, type, and each component. */
export function designPage({ locale, languageLinks }: DesignPage): Page {
  const copy = copyIn(locale);
  const { design } = copy;
  return documentPage(
    { locale, languageLinks, title: design.title, simulation: true, width: 'wide' },
    h('h1', null, design.title),
    h('p', { class: 'lead' }, design.text),
    section(design.colours, colours()),
    section(design.type, h('div', { class: 'stack' }, type(copy))),
    section(design.buttons, buttons(copy)),
    section(design.fields, fields(copy, locale)),
    section(design.notices, h('div', { class: 'stack' }, notices(copy))),
    section(design.cards, ...cards(copy)),
    section(design.table, table(copy, locale)),
  );
}

function section(title: string, ...children: ComponentChild[]): JSX.Element {
  return h('section', null, h('h2', null, title), ...children);
}

function colours(): JSX.Element {
  return h('ul', { class: 'swatches' }, COLOURS.map(swatch));
}

/** The policy of pages forbids styles in elements, and an attribute of an image is none. */
function swatch(name: string): JSX.Element {
  const paint = h('rect', { width: 48, height: 48, fill: `var(--${name})` });
  return h(
    'li',
    null,
    h('svg', { viewBox: '0 0 48 48', width: 48, height: 48, 'aria-hidden': 'true' }, paint),
    ltrCode(`--${name}`),
  );
}

function type({ design, trial, home, commands }: Copy): JSX.Element[] {
  return [
    h('p', { class: 'lead' }, design.lead),
    h('p', null, home.text, ' ', h('a', { href: '#' }, design.link), '.'),
    h('p', { class: 'hint' }, trial.tokenHint),
    h('p', null, h('span', { class: 'number', dir: 'ltr' }, '1000001101'), ' ', ltrCode('/api/v1')),
    commandBlock('curl http://127.0.0.1:3000/api/v1/start', home.tryIt, commands),
  ];
}

function buttons({ signIn, design }: Copy): JSX.Element {
  return h(
    'p',
    { class: 'trial-decisions' },
    h('button', { class: 'primary', type: 'button' }, signIn.approve),
    h('button', { class: 'secondary', type: 'button' }, signIn.refuse),
    h('button', { class: 'secondary', type: 'button', disabled: true }, design.disabled),
  );
}

function fields(copy: Copy, locale: Locale): JSX.Element {
  const { trial, phone } = copy;
  return h(
    'form',
    { class: 'panel stack' },
    h('label', { for: 'design-text' }, trial.nationalId),
    h('input', { id: 'design-text', value: '1000001101', dir: 'ltr', autocomplete: 'off' }),
    h('label', { for: 'design-choice' }, phone.whose),
    h('select', { id: 'design-choice' }, h('option', null, phone.everybody)),
    h('details', null, h('summary', null, phone.type), h('p', null, phone.typed)),
    h(
      'fieldset',
      { class: 'people' },
      h('legend', null, copy.signIn.who),
      PEOPLE.map((person) => personCard(person, locale, copy)),
    ),
  );
}

function notices({ phone, signIn }: Copy): JSX.Element[] {
  return [
    h('p', { class: 'notice' }, phone.token.wrong),
    h('p', null, h('span', { class: 'badge' }, signIn.defaultPerson)),
  ];
}

function cards({ home, trial, dashboard }: Copy): JSX.Element[] {
  return [
    h('div', { class: 'links' }, linkCard(home.phone), linkCard(home.console)),
    h('div', { class: 'panel' }, h('h2', null, trial.title), h('p', null, trial.text)),
    facts([
      [dashboard.attempt, ltrCode('0199a1b2-c3d4-7e5f-8a6b-7c8d9e0f1a2b')],
      [home.mode, home.modes.simulator],
    ]),
  ];
}

function linkCard({ title, text }: Copy['home']['phone']): JSX.Element {
  return h('a', { href: '#' }, h('strong', null, title), h('span', null, text));
}

function table({ home, documents }: Copy, locale: Locale): JSX.Element {
  return h(
    'table',
    null,
    h(
      'thead',
      null,
      h(
        'tr',
        null,
        h('th', { scope: 'col' }, home.name),
        h('th', { scope: 'col' }, home.nationalId),
      ),
    ),
    h(
      'tbody',
      null,
      PEOPLE.map((person) =>
        h(
          'tr',
          null,
          h('th', { scope: 'row' }, personNames(person, locale)),
          h(
            'td',
            null,
            h('span', { class: 'number', dir: 'ltr' }, person.nationalId),
            h('span', { class: 'person-document' }, documents[person.kind]),
          ),
        ),
      ),
    ),
  );
}
