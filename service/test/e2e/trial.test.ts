import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { testIds } from '@miftah/pages';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inArabicAtLeast, atLength } from '../../../scripts/test-length.ts';
import { launchChromium, openTab } from '../../../scripts/browser.ts';
import { tabInTurn } from '../../../scripts/shared-tab.ts';
import { recordCanaries } from '../support/canaries/run-folder.ts';
import { expectInView, PHONES } from '../support/client/in-view.ts';
import { shareListeningService } from '../support/service/listening-service.ts';

const LANGUAGES = atLength(['ar', 'en'], ['ar']);
const REFUSALS = [testIds.refuse, testIds.notMe, testIds.wrongNumber];
const run = promisify(execFile);
const MASKED = /^mft_test_\w{3}…$/;

let browser: Browser;
const service = shareListeningService();

beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(async () => {
  await browser.close();
});

const take = tabInTurn(() => browser);

const openHome = (page: Page, locale = 'en') => page.goto(`${service().origin}/?locale=${locale}`);
/** By what the person has signed in, as the page says. */
const methods = (page: Page) => page.locator('[data-method]:not([hidden])').allTextContents();
/** Waits for the sentence that the script shows at this stage. */
const stage = (page: Page, name: string) =>
  page.locator(`[data-when="${name}"]:not([hidden])`).waitFor();

const marksOf = (field: Locator) =>
  Promise.all(['aria-invalid', 'aria-describedby'].map((name) => field.getAttribute(name)));

describe('sign in now, on the home page', () => {
  it.each(LANGUAGES)('by browser, to the token, in %s', async (locale) => {
    await using tab = await take();
    await openHome(tab.page, locale);
    await tab.page.getByTestId(testIds.trialBrowser).click();
    await tab.page.getByTestId(testIds.person('siobhan')).check();
    await tab.page.getByTestId(testIds.approve).click();
    await stage(tab.page, 'authenticated');

    expect(await tab.page.getByTestId(testIds.trialToken).textContent()).toMatch(MASKED);
    expect(await methods(tab.page)).toEqual([locale === 'ar' ? 'المتصفح' : 'browser']);
    expect(new URL(tab.page.url()).pathname).toBe('/dashboard');
    // The code is used up: the steps for an exchange by hand would fail.
    expect(await tab.page.getByTestId(testIds.completionCode).isVisible()).toBe(false);
    expect(await tab.page.getByText('curl').isVisible()).toBe(false);
    expect(await tab.page.getAttribute('html', 'lang')).toBe(locale);
    expect(await tab.page.evaluate('sessionStorage.length')).toBe(0);
    expect(tab.complaints).toEqual([]);
  });

  it('by phone, with the number shown and the push approved, by keyboard alone', async () => {
    await using tab = await take();
    await openHome(tab.page);
    await tab.page.locator('[name=national_id]').focus();
    await tab.page.keyboard.press('Enter');
    await tab.page.getByTestId(testIds.approve).waitFor();
    expect(await tab.page.getByTestId(testIds.trialNumber).textContent()).toMatch(/^\d{6}$/);
    await tab.page.getByTestId(testIds.approve).focus();
    await tab.page.keyboard.press('Enter');
    await stage(tab.page, 'authenticated');

    expect(await tab.page.getByTestId(testIds.trialToken).textContent()).toMatch(MASKED);
    expect(await tab.page.getByTestId(testIds.trialName).textContent()).toMatch(/Amal|أمل/);
    expect(await methods(tab.page)).toEqual(['phone']);
    expect(tab.complaints).toEqual([]);
  });

  it.each(LANGUAGES)('brings the number into view on every phone, in %s', async (locale) => {
    await using tab = await take();
    for (const size of PHONES) {
      await tab.page.setViewportSize(size);
      await openHome(tab.page, locale);
      await tab.page.getByTestId(testIds.trialPhone).click();
      await expectInView(tab.page.getByTestId(testIds.trialNumber));
      expect(await tab.page.locator(':focus').getAttribute('data-number')).toBe('true');
    }
    expect(tab.complaints).toEqual([]);
  });

  it.each(atLength(REFUSALS, REFUSALS.slice(2)))('is ended by %s', async (button) => {
    await using tab = await take();
    await openHome(tab.page);
    await tab.page.getByTestId(testIds.trialPhone).click();
    await tab.page.getByTestId(button).click();
    await stage(tab.page, 'rejected');

    expect(await tab.page.getByTestId(testIds.trialToken).isVisible()).toBe(false);
  });

  it('with a reserved number, one click away, which decides by itself', async () => {
    await using tab = await take();
    await openHome(tab.page);
    await tab.page.locator('summary').click();
    await tab.page.getByTestId(testIds.reserved('1900000001')).click();
    await stage(tab.page, 'authenticated');

    await tab.page.getByTestId(testIds.reserved('1900000021')).click();
    await stage(tab.page, 'fault');
    expect(await tab.page.getByTestId(testIds.trialProgress).textContent()).toContain('no record');
  });

  it.each(
    inArabicAtLeast([
      ['ar', 'انتظر قليلًا'],
      ['en', 'Wait a little'],
    ]),
  )('says what to do about a refusal, and after how long, in %s', async (locale, remedy) => {
    await using tab = await take();
    await openHome(tab.page, locale);
    const json = { status: 429, code: 'rate_limited', message: 'No.', remedy };
    const headers = { 'retry-after': '56' };
    await tab.page.route('**/start', (route) => route.fulfill({ status: 429, headers, json }));
    await tab.page.getByTestId(testIds.trialBrowser).click();
    await stage(tab.page, 'fault');
    const shown = await tab.page.locator('[data-when=fault] :not([hidden])').allTextContents();
    expect(shown).toEqual(expect.arrayContaining([remedy, 'Retry-After: 56', 'rate_limited']));
    const link = tab.page.getByTestId(testIds.trialError);
    expect(await link.getAttribute('href')).toBe(`/errors/rate_limited?locale=${locale}`);
    // Of another error nothing of this one is left.
    await tab.page.route('**/start', (route) => route.fulfill({ status: 503, json: {} }));
    await tab.page.getByTestId(testIds.trialBrowser).click();
    await tab.page.locator('[data-fault]', { hasText: '503' }).waitFor();
    expect(await link.isVisible()).toBe(false);
    expect(await tab.page.getByText('Retry-After').isVisible()).toBe(false);
  });

  it.each(
    inArabicAtLeast([
      ['ar', 'تحقق من الرقم، أو سجّل الدخول عبر المتصفح.'],
      ['en', 'Check the number, or sign in by browser.'],
    ]),
  )(
    'says to a person what to do about a number that is not known, in %s',
    async (locale, words) => {
      await using tab = await take();
      await openHome(tab.page, locale);
      const number = tab.page.locator('[name=national_id]');
      await number.fill('1900000021');
      await number.press('Enter');
      await stage(tab.page, 'fault');
      const shown = await tab.page.locator('[data-when=fault] :not([hidden])').allTextContents();
      expect(shown).toContain(words);
      expect(shown.join(' ')).not.toContain('locale');
      expect(await marksOf(number)).toEqual(['true', 'trial-fault']);
      await number.fill('1000003301');
      await number.press('Enter');
      await stage(tab.page, 'waiting');
      expect(await marksOf(number)).toEqual([null, null]);
      expect(await tab.page.locator('[data-unregistered]').isVisible()).toBe(false);
    },
  );

  it.each(LANGUAGES)('shows no error of the number before, in %s', async (locale) => {
    await using tab = await take();
    await openHome(tab.page, locale);
    const number = tab.page.locator('[name=national_id]');
    await number.fill('12');
    await number.press('Enter');
    await stage(tab.page, 'fault');
    // The remedy of this error speaks of the body to those who write it.
    expect(await tab.page.locator('[data-fault]').textContent()).toMatch(/\w|[ء-ي]/);
    expect(await tab.page.locator('[data-remedy]').isVisible()).toBe(false);
    expect(await marksOf(number)).toEqual(['true', 'trial-fault']);
    // The browser refuses an empty number, and no new start is made that would clear the error.
    await number.fill('');
    await number.press('Enter');
    await tab.page.locator('[data-when=fault]').waitFor({ state: 'hidden' });
    expect(await marksOf(number)).toEqual([null, null]);
    await number.fill('1000003301');
    await number.press('Enter');
    await stage(tab.page, 'waiting');
    expect(tab.complaints.filter((text) => !text.includes('422'))).toEqual([]);
  });

  it.each([
    [testIds.phone, testIds.phoneEmpty],
    [testIds.console, 'room-attempts'],
  ])('leads from a push, also after its end, to the page %s', async (link, shown) => {
    await using tab = await take();
    await openHome(tab.page);
    await tab.page.getByTestId(testIds.trialPhone).click();
    await tab.page.getByTestId(testIds.notMe).click();
    await stage(tab.page, 'rejected');
    // The number is of no use any more, and the ways to what has happened stay.
    expect(await tab.page.getByTestId(testIds.trialNumber).isVisible()).toBe(false);
    await tab.page.getByTestId(link).click();
    await tab.page.getByTestId(shown).waitFor({ state: 'attached' });
    expect(tab.complaints).toEqual([]);
  });

  it.each(LANGUAGES)('copies commands that sign in by both flows, in %s', async (locale) => {
    await using tab = await take();
    await tab.page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await openHome(tab.page, locale);
    const copied: unknown[] = [];
    for (const block of await tab.page.locator('.command').all()) {
      await block.getByRole('button').click();
      await block.locator('[data-copied]').waitFor();
      copied.push(await tab.page.evaluate('navigator.clipboard.readText()'));
    }
    expect(copied).toHaveLength(3);
    const { stdout } = await run('bash', ['-c', copied.join('\n')]);
    const tokens = stdout.match(/mft_test_[\w-]+/g) ?? [];
    recordCanaries('API token', tokens);
    expect(tokens).toHaveLength(2);
    expect(tab.complaints).toEqual([]);
  });

  it('says without scripts where to go on', async () => {
    await using tab = await openTab(browser, { javaScriptEnabled: false });
    await openHome(tab.page);

    expect(await tab.page.getByTestId(testIds.trialBrowser).isVisible()).toBe(false);
    expect(await tab.page.locator('.trial').textContent()).toContain('The commands below');
    // A button that copies nothing.
    expect(await tab.page.locator('.command button').first().isVisible()).toBe(false);
  });

  it('runs under a policy that allows this one script', async () => {
    const answer = await fetch(`${service().origin}/`);
    expect(answer.headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; script-src 'sha256-[\w+/]{43}='; connect-src 'self'; style-src 'self'/,
    );
  });
});
