import { h, type ComponentChild, type JSX } from 'preact';
import { copyIn, type Copy } from './copy/index.ts';
import type { EndedKind } from './ended.ts';
import { documentPage, type Page } from './document.ts';
import { placeLink } from './errors.ts';
import type { LanguageLinks, Locale } from './locale.ts';
import { commandBlock, facts, fill, ltrCode } from './parts.ts';
import { asciiJson, shellWord } from './shell.ts';
import { trialScript } from './scripts.ts';
import { testIds } from './test-ids.ts';
import { trialReturnPanel, type TrialReturn } from './trial.ts';

export type DashboardPage = {
  readonly locale: Locale;
  /** The address of the API, for the command that the page shows. */
  readonly baseUrl: string;
  /** From the page's address, unverified; without an attempt the page only explains itself. */
  readonly attemptId?: string | undefined;
  readonly completionCode?: string | undefined;
  /** Whether the attempt still waits for the person; then there is nothing to exchange. */
  readonly isPending?: boolean | undefined;
  /** How the attempt ended, where it was not approved. */
  readonly end?: EndedKind | undefined;
  /** What is wrong with the values in the address; they are then not shown. */
  readonly fault?: 'unknown_attempt' | 'unknown_code' | undefined;
  /** The API's path if the home page can start attempts, otherwise null. */
  readonly trialBasePath?: string | null | undefined;
  readonly languageLinks?: LanguageLinks | undefined;
  /** Of a request with a fault, or of an attempt that failed. */
  readonly requestId?: string;
};

/** Stands in for the application's page after the sign-in, and says what to do next. */
export function dashboardPage(page: DashboardPage): Page {
  const copy = copyIn(page.locale);
  const { title, text } = opening(page, copy);
  const { locale, languageLinks, requestId } = page;
  const back = returnOf(page);
  const script = back === null ? undefined : trialScript;
  return documentPage(
    { locale, languageLinks, requestId, title, simulation: true, width: 'narrow', script },
    h('p', { class: 'back' }, placeLink('home', locale), placeLink('console', locale)),
    h('h1', null, title),
    h('p', { class: 'lead' }, text),
    back === null ? null : trialReturnPanel(back, locale),
    page.end === undefined ? null : startingAnew(copy),
    ...(page.attemptId ? result(page, page.attemptId, copy) : []),
  );
}

/** Null if the attempt can't be one that the home page started. */
function returnOf(page: DashboardPage): TrialReturn | null {
  const { trialBasePath, attemptId, completionCode, isPending } = page;
  if (!trialBasePath || !attemptId || isPending) return null;
  return { basePath: trialBasePath, attemptId, completionCode };
}

function opening({ attemptId, isPending, end, fault }: DashboardPage, copy: Copy) {
  const { dashboard, ended } = copy;
  if (end !== undefined) return ended[end];
  if (fault !== undefined) return dashboard.faults[fault];
  if (isPending) return dashboard.pending;
  return attemptId ? dashboard : dashboard.empty;
}

/** Where to begin anew, and what this page is, which the opening of an approved attempt says. */
function startingAnew({ dashboard, ended }: Copy): JSX.Element {
  return h(
    'section',
    { class: 'panel' },
    h('h2', null, ended.next),
    h('p', null, dashboard.anew),
    h('p', { class: 'hint' }, dashboard.text),
  );
}

function result(
  page: DashboardPage,
  attemptId: string,
  { dashboard: copy, commands }: Copy,
): ComponentChild[] {
  const { completionCode } = page;
  const attempt = [copy.attempt, ltrCode(attemptId, testIds.attemptId)] as const;
  // The exchange after a sign-in by browser needs the code, so the steps are not shown without one.
  if (!completionCode) return [facts([attempt])];
  const steps = [
    facts([completionFact(completionCode, copy)]),
    h('h2', null, copy.next),
    h('ol', null, h('li', null, exchangeSentence(copy)), h('li', null, answerSentence(copy))),
    commandBlock(tokenCommand(page.baseUrl, attemptId, completionCode), copy.tryIt, commands),
    h('p', { class: 'hint' }, fill(copy.tryItHint, { placeholder: ltrCode(PLACEHOLDER) })),
  ];
  // Hidden where this page does these steps itself: the code is good for one exchange.
  return [facts([attempt]), h('div', { 'data-steps': true }, steps)];
}

function completionFact(code: string, copy: Copy['dashboard']): readonly [string, ComponentChild] {
  const hint = h('span', { class: 'hint' }, copy.completionCodeHint);
  return [copy.completionCode, [ltrCode(code, testIds.completionCode), hint]];
}

function exchangeSentence(copy: Copy['dashboard']): ComponentChild[] {
  return fill(copy.exchange, {
    operation: ltrCode('POST /token/{attempt_id}'),
    token: ltrCode('attempt_token'),
    code: ltrCode('completion_code'),
  });
}

function answerSentence(copy: Copy['dashboard']): ComponentChild[] {
  return fill(copy.answer, { bearer: ltrCode('Bearer') });
}

/**
 * A placeholder: only the application that started the attempt has the token, never the browser.
 */
const PLACEHOLDER = 'ATTEMPT_TOKEN';

function tokenCommand(baseUrl: string, attemptId: string, completionCode: string): string {
  const body = {
    attempt_token: PLACEHOLDER,
    completion_code: completionCode,
    device_name: 'curl',
  };
  return [
    `curl ${shellWord(`${baseUrl}/token/${encodeURIComponent(attemptId)}`)}`,
    `  -H 'Content-Type: application/json'`,
    `  -d ${shellWord(asciiJson(body))}`,
  ].join(' \\\n');
}
