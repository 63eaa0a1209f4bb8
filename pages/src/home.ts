import { h, type JSX } from 'preact';
import { safeAddress } from './address.ts';
import { copyIn, type Copy } from './copy/index.ts';
import { documentPage, type Page } from './document.ts';
import type { LanguageLinks, Locale } from './locale.ts';
import { commandBlock, facts, ltrCode } from './parts.ts';
import { personNames, type Person } from './people.ts';
import { trialScript } from './scripts.ts';
import { trialPanel, type Trial } from './trial.ts';

/** The addresses that the home page links to. */
export type HomeLinks = {
  /** Absent when the API reader is off. */
  readonly docs?: string;
  readonly openapi: string;
  readonly errors: string;
  /** The simulated phone; absent where there is none. */
  readonly phone?: string;
  /** The simulator's console; absent where there is none. */
  readonly console?: string;
};

/** A step of a sign-in from a terminal. */
export type TrialStep = {
  readonly step: 'start' | 'approve' | 'exchange';
  readonly lines: readonly string[];
};

export type HomePage = {
  readonly locale: Locale;
  /** The address of the API. */
  readonly baseUrl: string;
  readonly mode: 'simulator' | 'live';
  /** Shown as a table; empty in live mode. */
  readonly people: readonly Person[];
  /** Whether there are more than these. */
  readonly hasMorePeople?: boolean;
  readonly links: HomeLinks;
  /** The commands of a sign-in by each flow, a block for each step. */
  readonly curl: readonly TrialStep[];
  /** Null: nobody can sign in from this page. */
  readonly trial: Trial | null;
  readonly languageLinks?: LanguageLinks | undefined;
};

/** The page for somebody who opens the service in a browser for the first time. */
export function homePage(page: HomePage): Page {
  const copy = copyIn(page.locale);
  const { home } = copy;
  const { locale, languageLinks, trial } = page;
  const script = trial === null ? undefined : trialScript;
  const simulation = page.mode === 'simulator';
  const stepBlock = ({ step, lines }: TrialStep) =>
    commandBlock(lines.join('\n'), home.steps[step], copy.commands);
  return documentPage(
    { locale, languageLinks, title: copy.product, simulation, width: 'wide', script },
    h('h1', null, home.title),
    h('p', { class: 'lead' }, home.text),
    trial === null ? null : trialPanel(trial, locale),
    facts([
      [home.baseUrl, ltrCode(page.baseUrl)],
      [home.mode, home.modes[page.mode]],
    ]),
    linkCards(page.links, home),
    page.curl.length > 0 ? [h('h2', null, home.tryIt), page.curl.map(stepBlock)] : null,
    page.people.length > 0 ? peopleSection(page, copy) : null,
  );
}

/** Where everything is. */
export function linkCards(links: HomeLinks, copy: Copy['home']): JSX.Element {
  return h(
    'nav',
    { class: 'links', 'aria-label': copy.links },
    LINKS.map((name) => linkCard(name, links[name], copy[name])),
  );
}

const LINKS = ['phone', 'console', 'docs', 'openapi', 'errors'] as const;

function linkCard(
  name: (typeof LINKS)[number],
  address: string | undefined,
  { title, text }: Copy['home']['docs'],
): JSX.Element | null {
  if (address === undefined) return null;
  // The documentation is only in English; the others are in both languages.
  const language = name === 'docs' || name === 'openapi' ? { hreflang: 'en' } : {};
  const inside = [h('strong', null, title), h('span', null, text)];
  return h('a', { href: safeAddress(address), ...language }, ...inside);
}

function peopleSection({ people, hasMorePeople, locale }: HomePage, copy: Copy): JSX.Element[] {
  const { home } = copy;
  const text = hasMorePeople === true ? `${home.peopleText} ${home.morePeople}` : home.peopleText;
  return [
    h('h2', { id: 'people' }, home.people),
    h('p', null, text),
    h(
      'table',
      { 'aria-labelledby': 'people' },
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
        people.map((person) => personRow(person, locale, copy)),
      ),
    ),
  ];
}

function personRow(person: Person, locale: Locale, copy: Copy): JSX.Element {
  return h(
    'tr',
    null,
    h(
      'th',
      { scope: 'row' },
      personNames(person, locale),
      person.default ? h('span', { class: 'badge' }, copy.signIn.defaultPerson) : null,
    ),
    h(
      'td',
      null,
      h('span', { class: 'number', dir: 'ltr' }, person.nationalId),
      h('span', { class: 'person-document' }, copy.documents[person.kind]),
    ),
  );
}
