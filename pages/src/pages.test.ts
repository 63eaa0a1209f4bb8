import { describe, expect, it } from 'vitest';
import {
  dashboardSample,
  endedKinds,
  errorSample,
  everyPage,
  homeSample,
  people,
  signInSample,
} from '../test/support/samples.ts';
import {
  dashboardPage,
  endedPage,
  errorIndexPage,
  errorPage,
  homePage,
  signInPage,
  testIds,
  type Locale,
} from './index.ts';

const locales = [
  ['ar', 'rtl'],
  ['en', 'ltr'],
] as const;

describe.each(locales)('every page in %s', (locale, dir) => {
  const pages = Object.entries(everyPage(locale));

  it.each(pages)('is a complete document: %s', (_name, { html }) => {
    expect(html).toMatch(new RegExp(`^<!doctype html><html lang="${locale}" dir="${dir}"><head>`));
    expect(html).toMatch(/<meta charset="utf-8"\/>/);
    expect(html).toMatch(/<meta name="viewport" content="width=device-width, initial-scale=1"\/>/);
    expect(html).toMatch(/<meta name="color-scheme" content="light dark"\/>/);
    expect(html.match(/<link rel="stylesheet"/g)).toHaveLength(1);
    expect(html.match(/<h1>/g)).toHaveLength(1);
    expect(html).toMatch(/<\/html>$/);
  });

  it.each(pages)('has no style of its own, and the one script it names: %s', (_name, page) => {
    const { html, script } = page;
    const bare = script ? html.replace(`<script>${script.source}</script>`, '') : html;
    expect(bare).not.toMatch(/<script|<style|\sstyle=|\son[a-z]+=/i);
  });

  it.each(pages)('has no words missing: %s', (_name, { html }) => {
    const words = html.replace(/<script>.*<\/script>/s, '');
    expect(words).not.toMatch(/undefined|\[object|NaN|\{(?!attempt_id\}|&quot;)/);
  });
});

describe.each(['ar', 'en'] satisfies Locale[])('the sign-in page in %s', (locale) => {
  const { html } = signInPage(signInSample(locale));

  it('posts the attempt, the person and the decision', () => {
    expect(html).toContain(
      'method="post" action="/callback" enctype="application/x-www-form-urlencoded"',
    );
    expect(html).toContain(`type="hidden" name="state" value="${signInSample(locale).attemptId}"`);
    expect(html.match(/type="radio" name="person"/g)).toHaveLength(people.length);
    expect(html.match(/name="decision" value="(?:approve|refuse|not_me)"/g)).toHaveLength(3);
  });

  it('carries the documented test ids, each once', () => {
    const controls = [testIds.approve, testIds.refuse, testIds.notMe, testIds.language];
    for (const id of [...controls, ...people.map((person) => testIds.person(person.id))]) {
      expect(html.split(`data-testid="${id}"`)).toHaveLength(2);
    }
  });

  it("puts the name in the page's language first, each name marked with its language", () => {
    const first = html.indexOf(`<bdi lang="${locale}"`);
    const second = html.indexOf(`<bdi lang="${locale === 'ar' ? 'en' : 'ar'}"`);

    expect(first).toBeGreaterThan(0);
    expect(second).toBeGreaterThan(first);
  });

  it('chooses the default person beforehand, and only that one', () => {
    expect(html.match(/ checked/g)).toHaveLength(1);
    expect(html).toMatch(/value="noura"[^>]* checked/);
  });
});

describe('the sign-in page', () => {
  it('shows a notice only when there is one', () => {
    expect(signInPage(signInSample('en')).html).not.toContain('role="alert"');
    expect(signInPage({ ...signInSample('en'), notice: 'Choose one.' }).html).toContain(
      'role="alert">Choose one.',
    );
  });

  it('takes a service with one name for both languages', () => {
    expect(signInPage({ ...signInSample('ar'), service: 'Login' }).html).toContain(
      'Login</strong>',
    );
  });

  it('shows the time of expiry in UTC, and an unreadable one as it is', () => {
    const sample = signInSample('en');
    const dated = signInPage({ ...sample, expiresAt: '2026-01-31T13:05:09+03:00' });
    const unreadable = signInPage({ ...sample, expiresAt: 'soon 1' });

    expect(dated.html).toMatch(/10:05:09<\/bdi> UTC/);
    expect(unreadable.html).toContain('<span dir="ltr">soon 1</span>');
  });

  it('links to itself in the other language', () => {
    expect(signInPage(signInSample('ar')).html).toContain('href="/sign-in?locale=en" lang="en"');
    expect(signInPage(signInSample('en')).html).toContain('href="/sign-in?locale=ar" lang="ar"');
  });
});

describe('the page of an ended attempt', () => {
  it('says something else for every kind, in both languages', () => {
    const texts = endedKinds.flatMap((kind) => [
      endedPage({ locale: 'ar', kind }).html,
      endedPage({ locale: 'en', kind }).html,
    ]);

    expect(new Set(texts).size).toBe(endedKinds.length * 2);
  });
});

it('the launch page warns before it says anything else, and the warning alone is marked', () => {
  const { html = '' } = everyPage('en')['launch'] ?? {};
  const places = ['<h1>', 'Go on only if', 'You will confirm', 'rehearsal', '<form'];
  const found = places.map((text) => html.indexOf(text, html.indexOf('<main>')));
  expect(found).toEqual(found.toSorted((one, other) => one - other));
  expect(found[0]).toBeGreaterThan(0);
  expect(html.match(/class="notice[^"]*"/g)).toEqual(['class="notice warning"']);
});

describe('the dashboard stand-in', () => {
  it('shows the attempt and the code under their test ids', () => {
    const { attemptId, completionCode } = dashboardSample('en');
    const { html } = dashboardPage(dashboardSample('en'));

    const unbroken = html.replaceAll('<wbr/>', '');
    expect(unbroken).toContain(`data-testid="${testIds.attemptId}">${attemptId}</code>`);
    expect(html).toContain(`data-testid="${testIds.completionCode}">${completionCode}</code>`);
  });

  it('leaves out what needs a completion code when there is none', () => {
    const { html } = dashboardPage({ ...dashboardSample('en'), completionCode: undefined });

    expect(html).toContain('The sign-in was approved');
    expect(html).not.toContain(`data-testid="${testIds.completionCode}"`);
    expect(html).not.toContain('curl');
    expect(html).not.toContain('<ol');
  });

  it.each([
    ['en', 'Not signed in yet'],
    ['ar', 'لم يتم تسجيل الدخول بعد'],
  ] as const)(
    'says in %s that nobody has approved yet, and offers no exchange',
    (locale, title) => {
      const sample = { ...dashboardSample(locale), completionCode: undefined };
      const { html } = dashboardPage({ ...sample, isPending: true });

      expect(html).toContain(`<h1>${title}</h1>`);
      expect(html).not.toMatch(/curl|<ol|data-trial|<script/);
    },
  );
});

it.each(['en', 'ar'] as const)(
  'the dashboard leads home, and to the console, whatever it shows, in %s',
  (locale) => {
    const { attemptId } = dashboardSample(locale);
    const shown = [{}, { fault: 'unknown_attempt' }, { attemptId }, { end: 'rejected' }] as const;
    for (const page of shown) {
      const { html } = dashboardPage({ locale, baseUrl: '/api/v1', ...page });
      expect(html).toContain('class="banner"');
      for (const place of ['/', '/console']) {
        expect(html).toContain(`<a href="${place}?locale=${locale}">`);
      }
    }
  },
);

it.each(['en', 'ar'] as const)('the catalogue leads to where it is told to, in %s', (locale) => {
  const leads = (places: readonly ('home' | 'console')[]) =>
    errorIndexPage({ locale, groups: [], places }).html;
  expect(leads(['home', 'console'])).toContain(`<a href="/console?locale=${locale}">`);
  expect(leads([])).not.toContain('class="back"');
});

const shown = (places: readonly ('home' | 'console')[]) => [
  errorPage({ ...errorSample('en'), places }).html,
  errorIndexPage({ locale: 'en', groups: [], places }).html,
  endedPage({ locale: 'en', kind: 'unknown', places }).html,
];

describe('the other pages', () => {
  it('carry the banner of the simulation only where there is a simulation', () => {
    const live = homePage({ ...homeSample('en'), mode: 'live', people: [], trial: null });

    expect(homePage(homeSample('en')).html).toContain('class="banner"');
    expect(live.html).not.toContain('class="banner"');
    expect(live.html).not.toContain('<table');
  });

  it('of an error and of an end carry it where they lead to the pages of the simulator', () => {
    for (const html of shown(['home'])) expect(html).toContain('class="banner"');
    for (const html of shown([])) expect(html).not.toContain('class="banner"');
  });
});

describe('the search of a sign-in page with many people', () => {
  const search = { text: 'sa"lem', action: '/callback', fields: { state: 'x', locale: 'en' } };
  const many = (found = signInSample('en').people) =>
    signInPage({ ...signInSample('en'), people: found, search }).html;

  it('is a form of its own, which keeps what was searched for', () => {
    const html = many();
    const [own = '', others = ''] = html.split('</form>');
    expect(own).toContain('form="people-search"');
    expect(own).toContain('value="sa&quot;lem"');
    expect(own.match(/type="hidden"/g)).toHaveLength(1);
    expect(others).toContain('<form id="people-search" method="get" action="/callback">');
    expect(others).not.toContain('type="hidden"');
    expect(signInPage(signInSample('en')).html).not.toContain('people-search');
  });

  it('says that nobody was found, as whom nobody can approve', () => {
    expect(many([])).toContain('Nobody was found.');
    expect(many([])).not.toContain('data-testid="approve"');
    expect(many()).toContain('data-testid="approve"');
  });
});
