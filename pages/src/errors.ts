import { h, type JSX } from 'preact';
import { safeAddress } from './address.ts';
import { copyIn } from './copy/index.ts';
import { isolated, isolatedText, withCodes } from './direction.ts';
import { documentPage, type Page } from './document.ts';
import type { LanguageLinks, Locale } from './locale.ts';
import { facts, fill, ltrCode } from './parts.ts';

/** One error of the catalogue, as listed in the index. */
export type ErrorEntry = {
  readonly code: string;
  readonly status: number;
  readonly title: string;
};

export type ErrorPage = ErrorEntry & {
  readonly locale: Locale;
  readonly whatHappened: string;
  readonly whatToDo: string;
  readonly languageLinks?: LanguageLinks | undefined;
  /** Of the request that has met the error; a page of the catalogue has none. */
  readonly requestId?: string;
  /** Pages of the same origin that a person may have looked for; none unless nobody is real. */
  readonly places?: readonly ErrorPlace[];
};

export type ErrorPlace = 'home' | 'console';

/** Errors under one heading. */
export type ErrorGroup = {
  /** Of the link to the heading. */
  readonly name: string;
  readonly title: string;
  readonly errors: readonly ErrorEntry[];
};

export type ErrorIndexPage = {
  readonly locale: Locale;
  readonly groups: readonly ErrorGroup[];
  readonly places?: readonly ErrorPlace[];
  readonly languageLinks?: LanguageLinks | undefined;
  /** The address names a code that there is not. */
  readonly isUnknown?: boolean;
  /** The code that was probably meant. */
  readonly near?: string | undefined;
  readonly requestId?: string;
};

const CATALOGUE = '/errors';

/** The page of one error: what happened, and what to do. */
export function errorPage(page: ErrorPage): Page {
  const { locale } = page;
  const { errors } = copyIn(locale);
  const title = isolatedText(page.title, locale);
  const told = (text: string) => h('p', { class: 'told' }, withCodes(text, locale));
  return documentPage(
    { ...page, title, simulation: isSimulation(page.places), width: 'narrow' },
    h(
      'p',
      { class: 'back' },
      h('a', { href: inLanguage(CATALOGUE, locale) }, errors.all),
      page.places?.map((place) => placeLink(place, locale)),
    ),
    h('h1', null, isolated(page.title, locale)),
    facts([
      [errors.code, ltrCode(page.code)],
      [errors.status, h('span', { class: 'number' }, page.status)],
    ]),
    h('section', null, h('h2', null, errors.whatHappened), told(page.whatHappened)),
    h('section', { class: 'panel' }, h('h2', null, errors.whatToDo), told(page.whatToDo)),
  );
}

/** The catalogue: every error with a link to its page. */
export function errorIndexPage({
  locale,
  groups,
  places = [],
  isUnknown = false,
  near,
  ...frame
}: ErrorIndexPage): Page {
  const copy = copyIn(locale).errors;
  return documentPage(
    { ...frame, locale, title: copy.indexTitle, simulation: isSimulation(places), width: 'wide' },
    placesLine(places, locale),
    h('h1', null, copy.indexTitle),
    h('p', { class: 'lead' }, copy.indexText),
    isUnknown
      ? h(
          'p',
          { class: 'notice', role: 'alert' },
          copy.unknown,
          near === undefined ? null : [' ', fill(copy.near, { code: codeLink(near, locale) })],
        )
      : null,
    h(
      'nav',
      { class: 'groups', 'aria-label': copy.groups },
      groups.map(({ name, title }) => h('a', { href: `#${name}` }, title)),
    ),
    groups.map((group) => groupSection(group, locale)),
  );
}

function groupSection({ name, title, errors }: ErrorGroup, locale: Locale): JSX.Element {
  return h(
    'section',
    { 'aria-labelledby': name },
    h('h2', { id: name }, title),
    h(
      'ul',
      { class: 'catalogue' },
      errors.map((error) => catalogueRow(error, locale)),
    ),
  );
}

function addressOf(code: string, locale: Locale): string {
  return safeAddress(inLanguage(`${CATALOGUE}/${encodeURIComponent(code)}`, locale));
}

function codeLink(code: string, locale: Locale): JSX.Element {
  return h('a', { href: addressOf(code, locale) }, ltrCode(code));
}

function catalogueRow({ code, status, title }: ErrorEntry, locale: Locale): JSX.Element {
  const address = addressOf(code, locale);
  return h(
    'li',
    null,
    h('span', { class: 'number status' }, status),
    h('span', null, h('a', { href: address }, isolated(title, locale)), ltrCode(code)),
  );
}

/** A page that leads to the simulator's own says, as they do, that nobody is real. */
export const isSimulation = (places: readonly ErrorPlace[] = []): boolean => places.length > 0;

const PLACES: Readonly<Record<ErrorPlace, string>> = { home: '/', console: '/console' };

/** The ways on from a page that has none of its own. */
export function placesLine(places: readonly ErrorPlace[], locale: Locale): JSX.Element | null {
  const links = places.map((place) => placeLink(place, locale));
  return links.length === 0 ? null : h('p', { class: 'back' }, links);
}

/** To a page of the simulator, in the language of the page that has the link. */
export function placeLink(place: ErrorPlace, locale: Locale): JSX.Element {
  const { dashboard, console } = copyIn(locale);
  const name = place === 'home' ? dashboard.home : console.title;
  return h('a', { href: inLanguage(PLACES[place], locale) }, name);
}

/** The catalogue's pages have no attempt to take the language from, so the links contain it. */
function inLanguage(path: string, locale: Locale): string {
  return `${path}?locale=${locale}`;
}
