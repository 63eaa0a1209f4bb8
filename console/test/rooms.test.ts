import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { launchChromium } from '../../scripts/browser.ts';
import { testIds } from '../src/test-ids.ts';
import { openConsole } from './support/open-console.ts';
import { rowOf } from './support/samples.ts';
import { SimulatedApi } from './support/simulated-api.ts';

/** What the rooms have in common, in Chromium, before answers that the test gives. */

const TIMEOUT_MS = 60_000;

let browser: Browser;
beforeAll(async () => void (browser = await launchChromium()), TIMEOUT_MS);
afterAll(async () => browser.close());

let api: SimulatedApi;
beforeEach(async () => {
  api = new SimulatedApi();
  await api.start();
  api.rows = [rowOf(7)];
});
afterEach(async () => api.stop());

const name = { full: 'Faisal', first: 'Faisal', second: null, third: null, last: null };
const FAISAL = {
  id: 'faisal',
  default: false,
  about: '',
  national_id: '1000001201',
  document_type: 'nin',
  arabic_name: name,
  english_name: name,
  gender: 'M',
  nationality: { code: 'SA', number: 113 },
  birth_date: '1990-01-01',
  email: 'faisal@example.com',
  assurance_level: 3,
  preferred_locale: 'ar',
};

describe('the heading of a room', { timeout: TIMEOUT_MS }, () => {
  const ROOMS = ['phone', 'people', 'outcomes', 'clock', 'faults', 'reset', 'reference', ''];

  it.each(ROOMS)('has the focus after the first link, and after others: %s', async (room) => {
    await using tab = await openConsole(browser, api, { hash: room === '' ? '#/reset' : '#/' });
    const { page } = tab;
    const focused = () => page.evaluate('document.activeElement.tagName');
    await page.locator('#console h1').waitFor();
    expect(await focused()).toBe('BODY');
    await page.getByTestId(testIds.room(room)).click();
    await expect.poll(focused).toBe('H1');
    const other = page.getByTestId(testIds.room(room === 'reset' ? 'clock' : 'reset'));
    await other.click();
    await other.and(page.locator('[aria-current=page]')).waitFor();
    await page.getByTestId(testIds.room(room)).click();
    await expect.poll(focused).toBe('H1');
  });
});

describe('what was done with people', { timeout: TIMEOUT_MS }, () => {
  it('is said until something else is done', async () => {
    api.answers['GET /simulator/people'] = [FAISAL];
    api.answers['PUT /simulator/people/faisal'] = FAISAL;
    await using tab = await openConsole(browser, api, { hash: '#/people/faisal' });
    const { page } = tab;
    const said = () => page.getByTestId(testIds.said).textContent();
    await page.getByTestId(testIds.savePerson).click();
    await expect.poll(said).toBe('Faisal is saved.');
    await page.getByTestId(testIds.removePerson('faisal')).click();
    await page.getByTestId(testIds.yes).click();
    await page.getByRole('alert').waitFor();
    expect(await said()).toBe('');
  });

  it('is not said again after a form that was only looked at', async () => {
    api.answers['GET /simulator/people'] = [FAISAL];
    api.answers['PUT /simulator/people/faisal'] = FAISAL;
    await using tab = await openConsole(browser, api, { hash: '#/people/faisal' });
    const { page } = tab;
    const said = () => page.getByTestId(testIds.said).textContent();
    await page.getByTestId(testIds.savePerson).click();
    await expect.poll(said).toBe('Faisal is saved.');
    await page.getByTestId(testIds.changePerson('faisal')).click();
    await page.getByTestId(testIds.personForm).waitFor();
    await page.getByRole('link', { name: 'To all people' }).click();
    await page.getByTestId(testIds.person('faisal')).waitFor();
    expect(await said()).toBe('');
  });
});

describe('a reset', { timeout: TIMEOUT_MS }, () => {
  it('takes what has gone out of the list, and says before what goes', async () => {
    const imported = rowOf(9, { source: 'imported' });
    api.rows = [imported, rowOf(7)];
    await using tab = await openConsole(browser, api);
    const { page } = tab;
    await expect.poll(() => page.locator('.virtual > li').count()).toBe(2);
    api.tellAll(rowOf(7));
    await expect.poll(() => page.locator('.virtual > li').count()).toBe(1);
    await page.getByTestId(testIds.room('reset')).click();
    await page.getByTestId(testIds.reset).waitFor();
    const goes = await page.locator('#console ul').first().textContent();
    expect(goes).toContain('imported from files');
    expect(goes).toContain('calls of the application that were recorded');
  });
});
