import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { inArabicAtLeast, atLength } from '../../scripts/test-length.ts';
import { testIds } from '../src/test-ids.ts';
import { sceneForTests } from './support/scene.ts';
import { idOf, rowOf, rowsFrom } from './support/samples.ts';

/** The list of attempts in Chromium, with an API whose answers the test makes. */

const PAGE = 200;
const MANY = atLength(10_000, 1000);
/** The console holds no more than 10,000. The end of fewer is known by a page without any. */
const OLDER_PAGES = atLength(49, 5);
const AHMAD = { id: 'ahmad', ar: 'أحمد الفلانيّ', en: 'Ahmad Alfulani' };
/** A window of 800 pixels shows 12 rows, and as many are rendered above and below it. */
const MOST_RENDERED = 30;

const LANGUAGES = atLength(['ar', 'en'] as const, ['ar'] as const);
const scene = sceneForTests();

const rows = (page: Page) => page.locator('.virtual > li');
const testIdOf = (number: number) => testIds.attempt(idOf(number));
const rowOfAttempt = (page: Page, number: number) => page.getByTestId(testIdOf(number));
/** How many texts of the rows are cut off, besides the names of people, which may be. */
const CUT_TEXTS = `[...document.querySelectorAll('.attempt-client, .attempt-reason, .attempt-flow')].filter(
  (part) => part.scrollWidth > part.clientWidth).length`;
/** Where the text of each begins, as seen from the edge of the page. */
const EDGES = (parts: Element[], locale: string): number[] =>
  parts.map((part) => {
    const range = document.createRange();
    range.selectNodeContents(part);
    const { left, right } = range.getBoundingClientRect();
    return Math.round(locale === 'ar' ? innerWidth - right : left);
  });
const focused = (page: Page) => page.evaluate('document.activeElement.dataset.testid');
const chooseState = (page: Page, state: string) => page.getByTestId(testIds.state(state)).click();

/** The API has the attempts 1 to `count`, newest first, in pages as the simulator gives them. */
function serve(count: number): void {
  scene.api.rows = rowsFrom(count, Math.min(count, PAGE));
  for (let last = count - PAGE + 1; last >= 1; last -= PAGE) {
    const path = `GET /simulator/attempts?limit=${PAGE}&before=${idOf(last)}`;
    scene.api.answers[path] = rowsFrom(last - 1, Math.min(last - 1, PAGE));
  }
}

describe('the list of attempts', () => {
  it('leaves the application its place beside a long name', async () => {
    const person = { id: 'abdulrahman', ar: 'عبدالرحمن', en: 'Abdulrahman '.repeat(9) };
    const client = { ar: 'تطبيق تجريبي', en: 'Demo application' };
    const refused = { client, person: { ...person, en: 'Faisal' }, reason: 'provider.mismatch' };
    scene.api.rows = [rowOf(2, refused), rowOf(1, { client, person })];
    await using tab = await scene.open({ viewport: { width: 640, height: 800 } });
    expect(await tab.page.evaluate(CUT_TEXTS)).toBe(0);
    const { width = 0 } = (await tab.page.locator('.attempt-person').last().boundingBox()) ?? {};
    expect(width).toBeGreaterThan(100);
    await tab.page.setViewportSize({ width: 375, height: 800 });
    expect(await tab.page.evaluate(CUT_TEXTS)).toBe(0);
  });

  it.each(LANGUAGES)(
    'begins names in each script at the edge of the page on a narrow screen, in %s',
    async (locale) => {
      const names = ['Example Shop', 'متجر الأمثلة'].map((text) => ({ ar: text, en: text }));
      scene.api.rows = names.map((client, place) =>
        rowOf(place + 1, { client, person: { id: 'x', ...client }, reason: 'provider.mismatch' }),
      );
      await using tab = await scene.open({ locale, viewport: { width: 375, height: 800 } });
      await rowOfAttempt(tab.page, 2).waitFor();
      const edges = await tab.page
        .locator('.attempt-client, .attempt-person')
        .evaluateAll(EDGES, locale);
      expect(edges).toHaveLength(4);
      expect(new Set(edges).size).toBe(1);
    },
  );

  it.each(
    inArabicAtLeast([
      ['ar', 'فيصل عمر خالد', 'متجر الأمثلة'],
      ['en', 'Faisal Omar Khalid', 'Example Shop'],
    ] as const),
  )(
    'names the application, and whom a start asks for where that is an invented person, in %s',
    async (...given) => {
      const [locale, name, application] = given;
      serve(2);
      await using tab = await scene.open({ locale });
      await expect.poll(() => rowOfAttempt(tab.page, 1).textContent()).toContain(name);
      expect(await rowOfAttempt(tab.page, 2).textContent()).not.toContain(name);
      for (const number of [1, 2]) {
        const shown = rowOfAttempt(tab.page, number).locator('.attempt-client');
        expect(await shown.textContent()).toBe(application);
      }
    },
  );

  it.each(LANGUAGES)('shows how to begin while it is empty, in %s', async (locale) => {
    await using tab = await scene.open({ locale });
    const empty = tab.page.getByTestId(testIds.empty);
    await empty.waitFor();
    expect(await empty.locator('pre').allTextContents()).toEqual([
      `curl -s ${scene.api.origin}/api/v1/start -H 'Content-Type: application/json' -d '{"locale":"${locale}","national_id":"1000001101"}'`,
      `curl -s ${scene.api.origin}/api/v1/start -H 'Content-Type: application/json' -d '{"locale":"${locale}"}'`,
    ]);
    expect(
      await empty.locator('a').evaluateAll((links) => links.map((a) => a.getAttribute('href'))),
    ).toHaveLength(2);
    scene.api.tell(rowOf(1));
    await rowOfAttempt(tab.page, 1).waitFor();
    expect(await empty.count()).toBe(0);
    expect(tab.complaints).toEqual([]);
  });

  it('shows what is new and what has changed, as it happens', async () => {
    serve(3);
    await using tab = await scene.open();
    await rowOfAttempt(tab.page, 3).waitFor();
    scene.api.tell(rowOf(4, { state: 'pending' }));
    await rowOfAttempt(tab.page, 4).getByText('Waits').waitFor();
    scene.api.tell(rowOf(4, { state: 'pending', planned: true }));
    await rowOfAttempt(tab.page, 4).getByText('Outcome chosen').waitFor();
    const answered = { state: 'pending', planned: true, answered: true };
    scene.api.tell(rowOf(4, answered));
    await rowOfAttempt(tab.page, 4).getByText('Answered').waitFor();
    await chooseState(tab.page, 'answered');
    await expect.poll(() => rows(tab.page).count()).toBe(1);
    await chooseState(tab.page, '');
    scene.api.tell(rowOf(4, { state: 'rejected' }));
    await rowOfAttempt(tab.page, 4).getByText('Refused').waitFor();
    expect(await rows(tab.page).count()).toBe(4);
    expect(await rows(tab.page).first().locator('a').getAttribute('href')).toBe(
      `#/attempts/${idOf(4)}`,
    );
  });

  it('goes on after the connection was lost, without what has gone', async () => {
    serve(3);
    await using tab = await scene.open();
    await rowOfAttempt(tab.page, 3).waitFor();
    scene.api.rows = [rowOf(9)];
    scene.api.cut();
    await rowOfAttempt(tab.page, 9).waitFor();
    expect(await rows(tab.page).count()).toBe(1);
  });

  it(`has few rows in the page with ${MANY} attempts, wherever it is scrolled`, async () => {
    serve(MANY);
    await using tab = await scene.open({ viewport: { width: 1280, height: 800 } });
    await rowOfAttempt(tab.page, MANY).waitFor();
    const counts: number[] = [];
    await expect
      .poll(
        async () => {
          await tab.page.evaluate('scrollTo(0, document.documentElement.scrollHeight)');
          counts.push(await rows(tab.page).count());
          return rowOfAttempt(tab.page, 1).count();
        },
        { interval: 10 },
      )
      .toBe(1);
    expect(Math.max(...counts)).toBeLessThan(MOST_RENDERED);
    expect(await rows(tab.page).last().getAttribute('aria-posinset')).toBe(`${MANY}`);
    expect(await rows(tab.page).last().getAttribute('aria-setsize')).toBe(`${MANY}`);
    // Each older page once, and none after the last.
    expect(scene.api.asked.filter((one) => one.includes('before='))).toHaveLength(OLDER_PAGES);
    expect(tab.complaints).toEqual([]);
  });

  it('stays where it is while attempts are added above', async () => {
    serve(400);
    await using tab = await scene.open({ viewport: { width: 1280, height: 800 } });
    await rowOfAttempt(tab.page, 400).waitFor();
    await tab.page.evaluate('scrollTo(0, 3000)');
    const seen = rowOfAttempt(tab.page, 350);
    await seen.waitFor();
    const before = (await seen.boundingBox())?.y;
    scene.api.tell(rowOf(401), rowOf(402), rowOf(403));
    await tab.page.getByTestId(testIds.state('')).getByText('203').waitFor({ state: 'attached' });
    expect((await seen.boundingBox())?.y).toBe(before);
  });

  it('finds by id, application and reason, by state and by flow, and counts', async () => {
    serve(30);
    const client = { ar: 'المخبز', en: 'Bakery' };
    scene.api.rows = [
      rowOf(31, { client, state: 'failed', reason: 'provider.mismatch', person: AHMAD }),
      ...scene.api.rows,
    ];
    await using tab = await scene.open();
    const search = tab.page.getByTestId(testIds.search);
    await rowOfAttempt(tab.page, 31).waitFor();
    const countOf = async (state: string) =>
      Number(await tab.page.getByTestId(testIds.state(state)).locator('.number').textContent());
    expect([await countOf(''), await countOf('failed')]).toEqual([31, 6]);
    for (const text of ['bakery', 'المخبز', 'MISMATCH', idOf(31), 'احمد الفلاني', 'أَحْمَـد\u200f']) {
      await search.fill(text);
      await expect.poll(() => rows(tab.page).count()).toBe(1);
      expect(await countOf('')).toBe(1);
    }
    // A number of the people, in the digits of either script: a row has none.
    await tab.page.route(/\/simulator\/people\?/, (route) =>
      route.fulfill({ json: { data: [{ id: 'ahmad', national_id: '1000002201' }] } }),
    );
    for (const text of ['1000002201', '٢٢٠١']) {
      await search.fill('');
      await search.fill(text);
      await expect.poll(() => rows(tab.page).count()).toBe(1);
    }
    await search.fill('');
    await chooseState(tab.page, 'failed');
    await expect.poll(() => rows(tab.page).count()).toBe(6);
    await tab.page.getByTestId(testIds.flow).selectOption('mfa');
    await expect.poll(() => rows(tab.page).count()).toBe(1);
    await search.fill('zzzz');
    await tab.page.getByText('No attempt matches “zzzz”.').waitFor();
    // Perhaps a refused start was looked for.
    await tab.page.getByText(/^A start that the service refused itself is not listed/).waitFor();
    await search.fill('');
    await tab.page.getByTestId(testIds.flow).selectOption('');
    await chooseState(tab.page, 'rejected');
    await tab.page.getByTestId(testIds.flow).selectOption('mfa');
    await tab.page.getByText('None in this state. In other states: 16.').waitFor();
    await tab.page.getByTestId(testIds.search).fill('zzzz');
    await tab.page.getByText('No attempt matches “zzzz”.').waitFor();
    await tab.page.getByRole('button', { name: 'Show all attempts' }).click();
    await expect.poll(() => countOf('')).toBe(31);
  });

  it('looks for older ones as long as the search has not filled the window', async () => {
    serve(1000);
    await using tab = await scene.open();
    await rowOfAttempt(tab.page, 1000).waitFor();
    expect(scene.api.asked.filter((one) => one.includes('before='))).toEqual([]);
    await tab.page.getByTestId(testIds.search).fill(idOf(3));
    await rowOfAttempt(tab.page, 3).waitFor();
  });

  it('is used by keyboard: one stop for the tab key, arrows for the rest', async () => {
    serve(300);
    await using tab = await scene.open({ viewport: { width: 1280, height: 800 } });
    const first = rowOfAttempt(tab.page, 300);
    await first.waitFor();
    expect(await tab.page.locator('.virtual a[tabindex="0"]').count()).toBe(1);
    await first.focus();
    // Each key once: the focus follows a moment later, and a second press would move it on.
    for (const [key, number] of [
      ['ArrowDown', 299],
      ['End', 101],
      ['Home', 300],
      ['PageDown', 290],
    ] as const) {
      await tab.page.keyboard.press(key);
      await expect.poll(() => focused(tab.page)).toBe(testIdOf(number));
    }
    // A new attempt does not take the focus away.
    scene.api.tell(rowOf(301));
    await rowOfAttempt(tab.page, 301).waitFor({ state: 'attached' });
    expect(await focused(tab.page)).toBe(testIdOf(290));
    await tab.page.keyboard.press('Enter');
    await tab.page.waitForURL(`**#/attempts/${idOf(290)}`);
  });
});
