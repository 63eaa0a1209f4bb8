import { describe, expect, it } from 'vitest';
import {
  dashboardSample,
  errorIndexSample,
  errorSample,
  homeSample,
  signInSample,
} from '../test/support/samples.ts';
import { payloads } from '../test/support/payloads.ts';
import {
  applicationPage,
  dashboardPage,
  errorIndexPage,
  errorPage,
  homePage,
  redirectPage,
  signInPage,
} from './index.ts';

/** Decided by the program, never by input: the compiler refuses values of other types. */
const CHOICES = new Set(['locale', 'kind', 'mode']);

const pages: readonly (readonly [name: string, render: (replace: Replace) => string])[] = [
  ['sign-in', (replace) => signInPage(replaceTexts(signInSample('ar'), replace)).html],
  ['dashboard', (replace) => dashboardPage(replaceTexts(dashboardSample('en'), replace)).html],
  ['error', (replace) => errorPage(replaceTexts(errorSample('ar'), replace)).html],
  ['catalogue', (replace) => errorIndexPage(replaceTexts(errorIndexSample('en'), replace)).html],
  [
    'redirect',
    (replace) => redirectPage({ locale: 'ar', address: replace('https://app.example.test/') }).html,
  ],
  [
    'application',
    (replace) => {
      const application = { ar: replace('تطبيق'), en: replace('App') };
      return applicationPage({ locale: 'ar', address: replace('app.test:/in'), application }).html;
    },
  ],
  ['home', (replace) => homePage(replaceTexts(homeSample('ar'), replace)).html],
];

describe.each(pages)('the %s page with hostile texts in every place', (_name, render) => {
  const harmless = markup(render(() => '/harmless'));

  it.each(payloads)('keeps its own tags and attributes only: %s', (payload) => {
    const html = render(() => payload);

    expect(markup(html)).toEqual(harmless);
  });

  it('keeps its addresses on http', () => {
    const html = render(() => 'javascript:alert(1)');

    expect(html).not.toMatch(/(?:href|action)="javascript:/i);
  });
});

type Replace = (text: string) => string;

/** `value` with every text in it replaced, at any depth. */
function replaceTexts<Value>(value: Value, replace: Replace, key?: string): Value;
function replaceTexts(value: unknown, replace: Replace, key = ''): unknown {
  if (typeof value === 'string') return CHOICES.has(key) ? value : replace(value);
  if (Array.isArray(value)) return value.map((item) => replaceTexts<unknown>(item, replace));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value);
  return Object.fromEntries(
    entries.map(([name, inner]) => [name, replaceTexts<unknown>(inner, replace, name)]),
  );
}

/** The tags of a document with the names of their attributes, as a browser would see them. */
function markup(html: string): string[] {
  const tags = html.match(/<[^>"]*(?:"[^"]*"[^>"]*)*>/g) ?? [];
  const bare = tags.map((tag) => tag.replaceAll(/"[^"]*"/g, '""'));
  // The number of isolated Latin parts, and of those that are code, depends on the text.
  return bare.filter((tag) => !/^<(?:(?:bdi|code) dir=""|\/(?:bdi|code))>$/.test(tag));
}
