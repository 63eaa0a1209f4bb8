import { h } from 'preact';
import { safeAddress } from '../address.ts';
import { operatorCopyIn, type OperatorCopy } from '../copy/operator.ts';
import { documentPage, type Page } from '../document.ts';
import type { LanguageLinks, Locale } from '../locale.ts';
import { fill, ltrCode } from '../parts.ts';
import { testIds } from '../test-ids.ts';
import { inLocale, submit } from './frame.ts';
import { OPERATOR, OPERATOR_ENTRY } from './places.ts';

export type OperatorLinkPage = {
  readonly locale: Locale;
  readonly languageLinks: LanguageLinks;
  readonly action: string;
};

/** Shows a button and nothing of the link: programs that look at addresses redeem none. */
export function operatorLinkPage({ locale, languageLinks, action }: OperatorLinkPage): Page {
  const { link } = operatorCopyIn(locale);
  return documentPage(
    { locale, languageLinks, title: link.title, width: 'narrow', referrer: 'same-origin' },
    h('h1', null, link.title),
    h('p', { class: 'lead' }, link.text),
    h(
      'form',
      { method: 'post', action: safeAddress(inLocale(action, locale)) },
      h('div', { class: 'decisions' }, submit(link.button)),
    ),
  );
}

export type OperatorFault = keyof OperatorCopy['faults'];

export type OperatorFaultPage = {
  readonly locale: Locale;
  readonly languageLinks?: LanguageLinks | undefined;
  readonly fault: OperatorFault;
  readonly requestId: string;
  /** How a session begins. */
  readonly entry: 'link' | 'provider';
  /** Of `no_role`: who they are at the provider. */
  readonly subject?: string | undefined;
};

/** The command that makes a link. */
const COMMAND = 'npx miftah operator link';

const OUTSIDE: ReadonlySet<OperatorFault> = new Set([
  'no_session',
  'link_spent',
  'signed_out',
  'no_role',
  'sign_in_failed',
]);

/** Why a page is not shown. It has nothing of what was asked for. */
export function operatorFaultPage(page: OperatorFaultPage): Page {
  const { locale, languageLinks, fault, requestId, subject = '' } = page;
  const { faults, places } = operatorCopyIn(locale);
  const { title, text } = faults[fault];
  const values = {
    url: ltrCode('OPERATOR_URL'),
    hosts: ltrCode('OPERATOR_ALLOWED_HOSTS'),
    subject: ltrCode(subject),
  };
  return documentPage(
    { locale, languageLinks, title, requestId, width: 'narrow', referrer: 'same-origin' },
    OUTSIDE.has(fault) || fault === 'wrong_host'
      ? null
      : h('p', { class: 'back' }, h('a', { href: inLocale(OPERATOR, locale) }, places.search)),
    h('h1', null, title),
    h('p', { class: 'lead', 'data-testid': testIds.operatorFault }, fill(text, values)),
    OUTSIDE.has(fault) ? wayIn(page) : null,
  );
}

/** The command that makes a link, or the way to the provider. */
function wayIn({ locale, entry }: OperatorFaultPage) {
  const { entries } = operatorCopyIn(locale);
  if (entry === 'provider') {
    const link = { class: 'primary', href: inLocale(OPERATOR_ENTRY.signIn, locale) };
    return h('div', { class: 'decisions' }, h('a', link, entries.provider));
  }
  return [
    h('p', null, entries.link),
    h('pre', { dir: 'ltr', tabindex: 0 }, h('code', null, COMMAND)),
  ];
}
