import { h, type JSX } from 'preact';
import { safeAddress } from './address.ts';
import { copyIn, type Copy } from './copy/index.ts';
import { documentPage, type Page } from './document.ts';
import { localized, type LanguageLinks, type Locale, type Localized } from './locale.ts';
import { facts, fill, ltrCode } from './parts.ts';
import { personNames, type Person } from './people.ts';
import { testIds } from './test-ids.ts';

/** The value of the form's field `decision`. */
export type Decision = 'approve' | 'refuse' | 'not_me';

export type SignInPage = {
  readonly locale: Locale;
  /** Shown on the page, and posted in the hidden field `state` unless `state` is given. */
  readonly attemptId: string;
  /** The value of the hidden field, if it is a secret that the page must not show. */
  readonly state?: string | undefined;
  /** The address that the form is posted to, form-encoded: `state`, `person`, `decision`. */
  readonly action: string;
  readonly languageLinks: LanguageLinks;
  /** The application that the person signs in to. */
  readonly service: Localized;
  /** At most `MOST_SHOWN`. */
  readonly people: readonly Person[];
  /** Where there are more people than the page shows. */
  readonly search?: PeopleSearch | undefined;
  /** An ISO 8601 timestamp. */
  readonly expiresAt: string;
  /** Something that the person must know before going on, for example that nobody was chosen. */
  readonly notice?: string | undefined;
};

/** Of one page: a page of thousands would not open. */
export const MOST_SHOWN = 50;

/** How the page is asked for other people. */
export type PeopleSearch = {
  /** What was searched for, empty for nothing. */
  readonly text: string;
  /** The address of the page, without its query. */
  readonly action: string;
  /** The query, without the search. */
  readonly fields: Readonly<Record<string, string>>;
};

/** The sign-in page of the simulator: the person chooses who they are, and approves or refuses. */
export function signInPage(page: SignInPage): Page {
  const copy = copyIn(page.locale);
  const service = h('bdi', null, h('strong', null, localized(page.service, page.locale)));
  return documentPage(
    { ...page, title: copy.signIn.title, simulation: true, width: 'narrow' },
    h('h1', null, copy.signIn.title),
    h('p', { class: 'lead' }, fill(copy.signIn.request, { service })),
    page.notice ? h('p', { class: 'notice', role: 'alert' }, page.notice) : null,
    form(page, copy),
    page.search === undefined ? null : searchForm(page.search),
    facts([
      [copy.signIn.expires, expiry(page.expiresAt, copy)],
      [copy.signIn.attempt, ltrCode(page.attemptId)],
    ]),
  );
}

function form(page: SignInPage, copy: Copy): JSX.Element {
  return h(
    'form',
    {
      class: 'sign-in',
      method: 'post',
      action: safeAddress(page.action),
      enctype: 'application/x-www-form-urlencoded',
    },
    h('input', { type: 'hidden', name: 'state', value: page.state ?? page.attemptId }),
    h(
      'fieldset',
      { class: 'people' },
      h('legend', null, copy.signIn.who),
      page.search === undefined ? null : searchField(page.search, page.people.length, copy),
      page.people.map((person) => personCard(person, page.locale, copy)),
    ),
    h('div', { class: 'decisions' }, decisionButtons(copy, page.people.length > 0)),
    h('p', { class: 'hint' }, copy.signIn.notMeHint),
  );
}

const SEARCH_FORM = 'people-search';
const SEARCH_TEXT = 'people-search-text';

/** The field is among the people, and its form after theirs: forms can't be within each other. */
function searchField({ text }: PeopleSearch, found: number, copy: Copy): JSX.Element {
  const { search, find, more, nobody } = copy.signIn;
  return h(
    'div',
    { class: 'people-search' },
    h('label', { for: SEARCH_TEXT }, search),
    h('input', {
      type: 'search',
      id: SEARCH_TEXT,
      name: 'search',
      form: SEARCH_FORM,
      maxlength: 250,
      value: text,
      'data-testid': testIds.searchPeople,
    }),
    h('button', { class: 'secondary', type: 'submit', form: SEARCH_FORM }, find),
    h('p', { class: 'hint', role: 'status' }, found === 0 ? nobody : more),
  );
}

/**
 * Its fields are no inputs of the type `hidden`: a program that signs in without a browser sends all of
 * these that the page has.
 */
function searchForm({ action, fields }: PeopleSearch): JSX.Element {
  return h(
    'form',
    { id: SEARCH_FORM, method: 'get', action: safeAddress(action) },
    Object.entries(fields).map(([name, value]) => h('input', { hidden: true, name, value })),
  );
}

/** One person to choose. */
export function personCard(person: Person, locale: Locale, copy: Copy): JSX.Element {
  return h(
    'label',
    { class: 'person' },
    h('input', {
      type: 'radio',
      name: 'person',
      value: person.id,
      required: true,
      checked: person.default,
      'data-testid': testIds.person(person.id),
    }),
    h('span', { class: 'person-names' }, personNames(person, locale)),
    person.default ? h('span', { class: 'badge' }, copy.signIn.defaultPerson) : null,
    h(
      'span',
      { class: 'person-document' },
      copy.documents[person.kind],
      ' ',
      h('span', { class: 'number', dir: 'ltr' }, person.nationalId),
    ),
  );
}

/** Where nobody was found there is nobody to approve as. */
function decisionButtons(copy: Copy, canApprove: boolean): (JSX.Element | null)[] {
  return [
    canApprove ? decisionButton('approve', testIds.approve, copy.signIn.approve) : null,
    decisionButton('refuse', testIds.refuse, copy.signIn.refuse),
    decisionButton('not_me', testIds.notMe, copy.signIn.notMe),
  ];
}

function decisionButton(decision: Decision, testId: string, text: string): JSX.Element {
  return h(
    'button',
    {
      class: decision === 'approve' ? 'primary' : 'secondary',
      type: 'submit',
      name: 'decision',
      value: decision,
      // Only an approval needs a person.
      formnovalidate: decision !== 'approve',
      'data-testid': testId,
    },
    text,
  );
}

/**
 * The time of expiry. The server does not know the reader's time zone, so the text names its own.
 */
function expiry(timestamp: string, copy: Copy): JSX.Element {
  // Date accepts almost any text with a digit in it, so the form is checked first.
  const date = new Date(/^\d{4}-\d\d-\d\dT/.test(timestamp) ? timestamp : Number.NaN);
  if (Number.isNaN(date.getTime())) return h('span', { dir: 'ltr' }, timestamp);
  const time = h('bdi', { class: 'number', dir: 'ltr' }, date.toISOString().slice(11, 19));
  return h('time', { datetime: timestamp }, fill(copy.signIn.utc, { time }));
}
