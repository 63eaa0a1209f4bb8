import { h, type ComponentChild, type JSX } from 'preact';
import { safeAddress } from '../address.ts';
import { operatorCopyIn, type OperatorCopy } from '../copy/operator.ts';
import { documentPage, type Page } from '../document.ts';
import type { LanguageLinks, Locale } from '../locale.ts';
import { ltrCode } from '../parts.ts';
import { OPERATOR_FORMS, OPERATOR_PLACES, type OperatorPlace } from './places.ts';

/** What an operator may do; each role may do what those before it may. */
export type OperatorRole = 'viewer' | 'support' | 'admin';

/** What every page of a session has. */
export type OperatorFrame = {
  readonly locale: Locale;
  /** None where the page answers a form: a link can't repeat it. */
  readonly languageLinks?: LanguageLinks | undefined;
  readonly role: OperatorRole;
  /** Known to the pages of this session alone, posted with each form. */
  readonly formToken: string;
};

const PLACES: Readonly<Record<OperatorRole, readonly OperatorPlace[]>> = {
  viewer: ['search', 'attempts', 'audit'],
  support: ['search', 'attempts', 'audit'],
  admin: ['search', 'attempts', 'audit', 'clients', 'doctor'],
};

type About = {
  readonly title: string;
  /** The entry of the navigation that the page belongs to. */
  readonly place?: OperatorPlace;
};

/** A page of a session: where else to go, in which role, and the way out. */
export function operatorPage(
  frame: OperatorFrame,
  { title, place }: About,
  ...content: ComponentChild[]
): Page {
  const { locale, languageLinks, role } = frame;
  const copy = operatorCopyIn(locale);
  return documentPage(
    { locale, languageLinks, title, width: 'full', referrer: 'same-origin' },
    h(
      'div',
      { class: 'operator-bar' },
      h(
        'nav',
        { 'aria-label': copy.nav },
        PLACES[role].map((name) => placeOf(name, place, locale)),
      ),
      form(
        frame,
        OPERATOR_FORMS.signOut,
        h('span', { class: 'badge' }, copy.role, ': ', copy.roles[role]),
        h('button', { class: 'secondary', type: 'submit' }, copy.signOut),
      ),
    ),
    h('h1', null, title),
    ...content,
  );
}

function placeOf(name: OperatorPlace, here: OperatorPlace | undefined, locale: Locale) {
  const current = name === here ? { 'aria-current': 'page' as const } : {};
  const words = operatorCopyIn(locale).places[name];
  return h('a', { href: inLocale(OPERATOR_PLACES[name], locale), ...current }, words);
}

/** A form that only a page of this session can post. */
export function form(
  { formToken, locale }: Pick<OperatorFrame, 'formToken' | 'locale'>,
  action: string,
  ...content: ComponentChild[]
): JSX.Element {
  return h(
    'form',
    { method: 'post', action: safeAddress(inLocale(action, locale)) },
    h('input', { type: 'hidden', name: 'form_token', value: formToken }),
    ...content,
  );
}

/** The address of a page in this language, with what it shows. */
export function inLocale(
  path: string,
  locale: Locale,
  values: Readonly<Record<string, string>> = {},
): string {
  const said = Object.entries(values).filter(([, value]) => value !== '');
  return `${path}?${new URLSearchParams([['locale', locale], ...said]).toString()}`;
}

export type Cell = ComponentChild;

/** A table that scrolls in its own box, which the keyboard reaches. Without rows it is a sentence. */
export function grid(
  { none }: Pick<OperatorCopy, 'none'>,
  label: string,
  heads: readonly string[],
  rows: readonly (readonly Cell[])[],
): JSX.Element {
  if (rows.length === 0) return h('p', { class: 'hint' }, none);
  return h(
    'div',
    { class: 'grid', role: 'region', 'aria-label': label, tabindex: 0 },
    h(
      'table',
      null,
      h(
        'thead',
        null,
        h(
          'tr',
          null,
          heads.map((head) => h('th', { scope: 'col' }, head)),
        ),
      ),
      h('tbody', null, rows.map(gridRow)),
    ),
  );
}

const gridRow = (cells: readonly Cell[]) =>
  h(
    'tr',
    null,
    cells.map((cell) => h('td', null, cell)),
  );

/** A field with its label above it. @param of tells fields of several forms apart */
export function field(
  label: string,
  input: Readonly<Record<string, string | boolean | number>> & { readonly name: string },
  hint?: ComponentChild,
  of = '',
): JSX.Element {
  const id = `operator-${of}${input.name}`;
  const hintId = `${id}-hint`;
  const described = hint === undefined ? {} : { 'aria-describedby': hintId };
  return h(
    'p',
    { class: 'field' },
    h('label', { for: id }, label),
    h('input', { id, dir: 'ltr', autocomplete: 'off', ...described, ...input }),
    hint === undefined ? null : h('span', { class: 'hint', id: hintId }, hint),
  );
}

export function submit(words: string): JSX.Element {
  return h('button', { class: 'primary', type: 'submit' }, words);
}

export function notice(words: ComponentChild): JSX.Element {
  return h('p', { class: 'notice', role: 'alert' }, words);
}

/** A time, an id, a code: null is shown as a dash. */
export const code = (text: string | null): Cell => (text === null ? '—' : ltrCode(text));
