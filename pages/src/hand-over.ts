import { h } from 'preact';
import { safeAddress } from './address.ts';
import { copyIn } from './copy/index.ts';
import { documentPage, type Page } from './document.ts';
import type { Locale } from './locale.ts';
import { continueScript } from './scripts.ts';
import { testIds } from './test-ids.ts';

export type HandOverPage = {
  readonly locale: Locale;
  /** The address that the form is posted to. */
  readonly action: string;
  /** The hidden fields of the form. */
  readonly fields: Readonly<Record<string, string>>;
};

/**
 * Sends the browser on by posting a form (OAuth 2.0 Form Post Response Mode). A script posts it at
 * once; a button does it in browsers without scripts.
 */
export function handOverPage({ locale, action, fields }: HandOverPage): Page {
  const { title, text, next } = copyIn(locale).handOver;
  const button = { class: 'primary', type: 'submit', 'data-testid': testIds.continue };
  return documentPage(
    { locale, title, simulation: true, width: 'narrow', script: continueScript },
    h('h1', null, title),
    h('p', { class: 'lead' }, text),
    h(
      'form',
      { method: 'post', action: safeAddress(action), enctype: 'application/x-www-form-urlencoded' },
      Object.entries(fields).map(([name, value]) => h('input', { type: 'hidden', name, value })),
      h('button', button, next),
    ),
  );
}
