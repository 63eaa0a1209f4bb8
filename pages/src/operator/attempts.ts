import { h, type ComponentChild, type JSX } from 'preact';
import { operatorCopyIn } from '../copy/operator.ts';
import type { Page } from '../document.ts';
import type { Locale } from '../locale.ts';
import { facts, fill, ltrCode } from '../parts.ts';
import { code, field, grid, inLocale, notice, operatorPage, submit } from './frame.ts';
import type { OperatorFrame } from './frame.ts';
import { attemptPlace, OPERATOR_PLACES, personPlace } from './places.ts';

/** Without the number of the person and the number to match. Times are texts. */
export type ShownAttempt = {
  readonly attemptId: string;
  readonly client: string;
  readonly flow: string;
  readonly state: string;
  readonly startedAt: string;
};

export type OperatorAttemptsPage = OperatorFrame & {
  readonly client: string;
  readonly until: string;
  readonly isTimeWrong: boolean;
  readonly attempts: readonly ShownAttempt[];
  /** The start of the oldest attempt that was looked at; null where there is none. */
  readonly searchedTo: string | null;
  /** The next page begins below this attempt; null where nothing is left. */
  readonly before: string | null;
};

export function operatorAttemptsPage(page: OperatorAttemptsPage): Page {
  const { locale, client, until, attempts, searchedTo, before } = page;
  const copy = operatorCopyIn(locale);
  const words = copy.attempts;
  const example = ltrCode('2026-01-31T09:00:00Z');
  return operatorPage(
    page,
    { title: words.title, place: 'attempts' },
    page.isTimeWrong ? notice(fill(words.wrongTime, { example })) : null,
    h(
      'form',
      { class: 'filters', method: 'get', action: OPERATOR_PLACES.attempts },
      h('input', { type: 'hidden', name: 'locale', value: locale }),
      field(words.client, { name: 'client', maxlength: 100, value: client }),
      field(words.until, { name: 'until', maxlength: 40, value: until }, example),
      submit(copy.show),
    ),
    attemptGrid(attempts, locale),
    searchedTo === null
      ? null
      : h('p', { class: 'hint' }, fill(words.searched, { time: ltrCode(searchedTo) })),
    before === null
      ? null
      : nextLink(inLocale(OPERATOR_PLACES.attempts, locale, { client, before }), copy.next),
  );
}

export function nextLink(address: string, words: string): JSX.Element {
  return h('p', null, h('a', { href: address, rel: 'next' }, words));
}

export function attemptGrid(attempts: readonly ShownAttempt[], locale: Locale): JSX.Element {
  const copy = operatorCopyIn(locale);
  const words = copy.attempts;
  const heads = [words.attempt, words.client, words.flow, words.state, words.started];
  const rows = attempts.map(({ attemptId, client, flow, state, startedAt }) => [
    attemptLink(attemptId, locale),
    ltrCode(client),
    ltrCode(flow),
    ltrCode(state),
    ltrCode(startedAt),
  ]);
  return grid(copy, words.title, heads, rows);
}

export const attemptLink = (attemptId: string, locale: Locale): JSX.Element =>
  h('a', { href: inLocale(attemptPlace(attemptId), locale) }, ltrCode(attemptId));

export const personLink = (userId: number, locale: Locale): JSX.Element =>
  h('a', { href: inLocale(personPlace(userId), locale) }, ltrCode(String(userId)));

export type OperatorAttemptPage = OperatorFrame & {
  readonly attempt: ShownAttempt & {
    readonly expiresAt: string;
    readonly authenticatedAt: string | null;
    readonly redeemedAt: string | null;
    readonly endedAt: string | null;
    readonly reason: string | null;
    readonly userId: number | null;
  };
  /** The lines of `miftah calls`, and below each what was sent and answered. */
  readonly calls: readonly { readonly line: string; readonly detail: string }[];
};

export function operatorAttemptPage(page: OperatorAttemptPage): Page {
  const { locale, attempt, calls } = page;
  const copy = operatorCopyIn(locale);
  const { attempt: words, attempts: names } = copy;
  const command = ltrCode('miftah calls');
  const audit = inLocale(OPERATOR_PLACES.audit, locale, { attempt: attempt.attemptId });
  return operatorPage(
    page,
    { title: words.title, place: 'attempts' },
    facts([
      [names.attempt, ltrCode(attempt.attemptId)],
      [names.client, ltrCode(attempt.client)],
      [names.flow, ltrCode(attempt.flow)],
      [names.state, ltrCode(attempt.state)],
      [words.reason, code(attempt.reason)],
      [copy.person.title, attempt.userId === null ? '—' : personLink(attempt.userId, locale)],
      ...times(page),
    ]),
    h('p', null, h('a', { href: audit }, words.auditAll)),
    h('h2', null, words.calls),
    h('p', { class: 'hint' }, fill(words.callsHint, { command })),
    calls.length === 0 ? h('p', { class: 'hint' }, copy.none) : h('div', null, calls.map(call)),
  );
}

function times({ attempt, locale }: OperatorAttemptPage): (readonly [string, ComponentChild])[] {
  const { attempt: words, attempts: names } = operatorCopyIn(locale);
  return [
    [names.started, code(attempt.startedAt)],
    [words.authenticated, code(attempt.authenticatedAt)],
    [words.redeemed, code(attempt.redeemedAt)],
    [words.ended, code(attempt.endedAt)],
    [words.expires, code(attempt.expiresAt)],
  ];
}

/** One call: its line, and the rest behind it. Its texts are the provider's. */
function call({ line, detail }: OperatorAttemptPage['calls'][number]): JSX.Element {
  return h(
    'details',
    { class: 'call' },
    h('summary', null, ltrCode(line)),
    h('pre', { dir: 'ltr', tabindex: 0 }, h('code', null, detail)),
  );
}
