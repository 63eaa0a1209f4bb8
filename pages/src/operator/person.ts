import { h, type ComponentChild } from 'preact';
import { operatorCopyIn, type OperatorCopy } from '../copy/operator.ts';
import type { Page } from '../document.ts';
import { facts, fill, ltrCode } from '../parts.ts';
import { personNames } from '../people.ts';
import { attemptGrid, attemptLink, type ShownAttempt } from './attempts.ts';
import {
  code,
  field,
  form,
  grid,
  notice,
  operatorPage,
  submit,
  type OperatorFrame,
} from './frame.ts';
import { actPlace, type Act } from './places.ts';

export type ShownToken = {
  readonly tokenId: string;
  readonly attemptId: string;
  readonly client: string;
  /** As the application has named it, which may be after its owner; null for a viewer. */
  readonly deviceName: string | null;
  readonly createdAt: string;
  readonly expiresAt: string;
  /** `stopped` is one of a disabled user, which is good again if that is taken back. */
  readonly state: 'active' | 'stopped' | 'revoked' | 'expired';
};

/** The newest of a list, and how many there are. */
export type Newest<Item> = { readonly items: readonly Item[]; readonly all: number };

export type OperatorPersonPage = OperatorFrame & {
  readonly userId: number;
  /** Null for a viewer. */
  readonly identity: {
    readonly arabicName: string;
    readonly englishName: string;
    /** The last two of the national id: no page has the whole number. */
    readonly lastDigits: string;
  } | null;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly disabledAt: string | null;
  readonly tokens: Newest<ShownToken>;
  readonly attempts: Newest<ShownAttempt>;
  /** Those that the role may do, and that would change something. */
  readonly acts: readonly Act[];
  /** What was just done, or why nothing was. */
  readonly said: 'disable' | 'enable' | 'revoke' | 'wrongReason' | null;
};

export function operatorPersonPage(page: OperatorPersonPage): Page {
  const { locale, tokens, attempts } = page;
  const copy = operatorCopyIn(locale);
  return operatorPage(
    page,
    { title: copy.person.title, place: 'search' },
    page.said === null ? null : notice(saidIn(page.said, copy)),
    facts(personFacts(page)),
    acts(page),
    h('h2', null, copy.person.tokens),
    tokenGrid(page),
    newest(tokens, page),
    h('h2', null, copy.attempts.title),
    attemptGrid(attempts.items, locale),
    newest(attempts, page),
  );
}

function saidIn(said: NonNullable<OperatorPersonPage['said']>, { acts: words }: OperatorCopy) {
  return said === 'wrongReason' ? words.wrongReason : words.done[said];
}

/** Each act is opened first, so that no key pressed in a field does another one. */
function acts(page: OperatorPersonPage) {
  if (page.acts.length === 0) return null;
  const { acts: words } = operatorCopyIn(page.locale);
  return [h('h2', null, words.title), page.acts.map((act) => actForm(act, page))];
}

function actForm(act: Act, page: OperatorPersonPage) {
  const { acts: words } = operatorCopyIn(page.locale);
  const reason = { name: 'reason', maxlength: 200, required: true, dir: 'auto' };
  return h(
    'details',
    { class: 'act' },
    h('summary', null, words[act].title),
    form(
      page,
      actPlace(page.userId, act),
      h('p', null, words[act].text),
      field(words.reason, reason, words.reasonHint, `${act}-`),
      submit(words[act].title),
    ),
  );
}

function personFacts(page: OperatorPersonPage): (readonly [string, ComponentChild])[] {
  const { locale, userId, identity } = page;
  const { find, person: words } = operatorCopyIn(locale);
  return [
    [find.user, ltrCode(String(userId))],
    ...(identity === null ? [] : identityFacts(identity, page)),
    [words.first, code(page.createdAt)],
    [words.latest, code(page.updatedAt)],
    [words.disabled, page.disabledAt === null ? words.no : ltrCode(page.disabledAt)],
  ];
}

function identityFacts(
  identity: NonNullable<OperatorPersonPage['identity']>,
  { locale }: OperatorPersonPage,
): (readonly [string, ComponentChild])[] {
  const { person: words } = operatorCopyIn(locale);
  const digits = h('span', { class: 'number', dir: 'ltr' }, identity.lastDigits);
  return [
    [words.name, personNames(identity, locale)],
    [words.digits, fill(words.endsIn, { digits })],
  ];
}

function tokenGrid({ locale, role, tokens }: OperatorPersonPage) {
  const copy = operatorCopyIn(locale);
  const { person: words, attempts: names } = copy;
  const device = role === 'viewer' ? [] : [words.device];
  const heads = [
    words.token,
    names.state,
    names.client,
    ...device,
    words.issued,
    words.expires,
    names.attempt,
  ];
  const rows = tokens.items.map((token) => [
    ltrCode(token.tokenId),
    words.states[token.state],
    ltrCode(token.client),
    ...device.map(() => h('bdi', null, token.deviceName ?? '—')),
    ltrCode(token.createdAt),
    ltrCode(token.expiresAt),
    attemptLink(token.attemptId, locale),
  ]);
  return grid(copy, words.tokens, heads, rows);
}

function newest({ items, all }: Newest<unknown>, { locale }: OperatorPersonPage) {
  if (items.length >= all) return null;
  const { person: words } = operatorCopyIn(locale);
  return h('p', { class: 'hint' }, fill(words.newest, { shown: items.length, all }));
}
