import { h, type ComponentChild } from 'preact';
import { operatorCopyIn } from '../copy/operator.ts';
import type { Page } from '../document.ts';
import { facts, fill, ltrCode } from '../parts.ts';
import { personNames } from '../people.ts';
import { attemptGrid, attemptLink, type ShownAttempt } from './attempts.ts';
import { code, grid, operatorPage, type OperatorFrame } from './frame.ts';

export type ShownToken = {
  readonly tokenId: string;
  readonly attemptId: string;
  readonly client: string;
  /** As the application has named it, which may be after its owner; null for a viewer. */
  readonly deviceName: string | null;
  readonly createdAt: string;
  readonly expiresAt: string;
  readonly state: 'active' | 'revoked' | 'expired';
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
};

export function operatorPersonPage(page: OperatorPersonPage): Page {
  const { locale, tokens, attempts } = page;
  const copy = operatorCopyIn(locale);
  return operatorPage(
    page,
    { title: copy.person.title, place: 'search' },
    facts(personFacts(page)),
    h('h2', null, copy.person.tokens),
    tokenGrid(page),
    newest(tokens, page),
    h('h2', null, copy.attempts.title),
    attemptGrid(attempts.items, locale),
    newest(attempts, page),
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
