import { h } from 'preact';
import { safeAddress } from './address.ts';
import { copyIn } from './copy/index.ts';
import { documentPage, type Page } from './document.ts';
import type { Locale } from './locale.ts';
import { continueScript } from './scripts.ts';
import { testIds } from './test-ids.ts';

export type HandOverPage = {
  readonly locale: Locale;
  /** Where the form is posted to. */
  readonly action: string;
  /** What it carries, out of sight. */
  readonly fields: Readonly<Record<string, string>>;
};

/**
 * Hands the browser on with a form (OAuth 2.0 Form Post Response Mode). It goes on by itself, and has
 * a button for browsers without scripts.
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
