import { h, type JSX } from 'preact';
import { returnLink, safeAddress } from './address.ts';
import { copyIn, type Copy } from './copy/index.ts';
import { withCodes } from './direction.ts';
import { documentPage, type Page } from './document.ts';
import { isSimulation, placesLine, type ErrorPlace } from './errors.ts';
import type { LanguageLinks, Locale } from './locale.ts';
import { fill, ltrCode } from './parts.ts';
import { testIds } from './test-ids.ts';

/** Why nothing can be done on the page that was opened. */
export type EndedKind = Exclude<
  keyof Copy['ended'],
  'next' | 'back' | 'again' | 'developer' | 'reason'
>;

export type EndedPage = {
  readonly locale: Locale;
  readonly kind: EndedKind;
  /** The address of the application, if the person can go back to it. */
  readonly wayBack?: string | null;
  /** Where the same request can be made once more, if that may complete the sign-in. */
  readonly again?: string | null;
  /** For a developer, in English; what to do about it stands below, in the page's language. */
  readonly reason?: string | null;
  readonly languageLinks?: LanguageLinks | undefined;
  /** Of the request that was refused. */
  readonly requestId?: string;
  /** Whether it says that nobody is real; it does wherever it has `places`. */
  readonly simulation?: boolean;
  /** Pages of the same origin that its reader may have looked for, where nobody is real. */
  readonly places?: readonly ErrorPlace[];
};

/**
 * The page for an attempt that can't be continued: says why, and what to do. It shows nothing of
 * the attempt, so `unknown` is the same page for all cases that must not be distinguished.
 */
export function endedPage({
  locale,
  kind,
  wayBack = null,
  again = null,
  reason = null,
  languageLinks,
  requestId,
  places = [],
  simulation = isSimulation(places),
}: EndedPage): Page {
  const copy = copyIn(locale).ended;
  const { title, text, next } = copy[kind];
  const setting = ltrCode('CLIENTS_FILE');
  return documentPage(
    { locale, languageLinks, requestId, title, simulation, width: 'narrow' },
    placesLine(places, locale),
    h('h1', null, title),
    h('p', { class: 'lead' }, text),
    reason === null ? null : h('p', null, copy.reason),
    reason === null ? null : reasonLine(reason),
    reason === null ? null : h('p', { class: 'hint' }, fill(copy.developer, { setting })),
    h(
      'section',
      { class: 'panel' },
      h('h2', null, copy.next),
      h('p', null, next),
      wayBack === null ? null : h('p', null, backLink(wayBack, copy.back)),
    ),
    again === null ? null : h('div', { class: 'decisions' }, againLink(again, copy.again)),
  );
}

/** The reason as the log has it, without a full stop, as a sentence. */
function reasonLine(reason: string): JSX.Element {
  const sentence = /[.…]$/.test(reason) ? reason : `${reason}.`;
  return h('p', { lang: 'en', dir: 'ltr', class: 'notice' }, withCodes(sentence, 'en'));
}

function againLink(address: string, text: string): JSX.Element {
  const named = { class: 'primary', 'data-testid': testIds.again };
  return h('a', { href: safeAddress(address), ...named }, text);
}

function backLink(address: string, text: string): JSX.Element {
  return h('a', { href: returnLink(address), 'data-testid': testIds.back }, text);
}
