import { text } from 'node:stream/consumers';
import { testIds as pageIds } from '@miftah/pages';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { atLength } from '../../../scripts/test-length.ts';
import { testIds } from '../../../console/src/test-ids.ts';
import { axeFaultsIn } from '../../../scripts/axe.ts';
import { launchChromium } from '../../../scripts/browser.ts';
import { tabInTurn } from '../../../scripts/shared-tab.ts';
import { share } from '../support/at-end.ts';
import { cardOf, openPhoneAt } from '../support/client/phone-page.ts';
import { simulate } from '../support/client/web-example.ts';
import { ApiClient, type Started } from '../support/programs/api-client.ts';

/** Attempts and their time lines in the console, in Chromium, before a service. */

const AMAL = '1000001101';

let browser: Browser;
beforeAll(async () => void (browser = await launchChromium()));
afterAll(async () => browser.close());

const take = tabInTurn(() => browser);

const service = share((atEnd) => simulate({}, atEnd));
const guarded = share((atEnd) => simulate({ SIMULATOR_TOKEN: TOKEN }, atEnd));
const TOKEN = 'a-token-of-the-simulator-of-this-test';

const DESK = { width: 1280, height: 900 };
const PHONE = { width: 360, height: 740 };
/** Each colour scheme once, and each size once. */
const SIZES_IN = atLength(
  { light: [DESK, PHONE], dark: [DESK, PHONE] },
  { light: [PHONE], dark: [DESK] },
);

/** Each test has a scope of its own, so that it sees its own attempts. */
let scopes = 0;

async function open(locale: string) {
  const scope = `attempts-${++scopes}`;
  const { provider } = service();
  const tab = await take();
  const requested: string[] = [];
  tab.page.on('request', (request) => requested.push(request.url()));
  await tab.page.goto(`${provider}/console?locale=${locale}&scope=${scope}#/`);
  await tab.page.locator('[data-testid=connection][data-state=live]').waitFor();
  const client = new ApiClient(provider);
  const start = async (body: Record<string, string>): Promise<Started> => {
    const { json } = await client.post('/start', body, { 'x-miftah-scope': scope });
    return (json as { data: Started }).data;
  };
  const byPhone = () => start({ locale, national_id: AMAL });
  const byBrowser = () => start({ locale });
  return { ...tab, scope, client, requested, byPhone, byBrowser };
}

const rowOf = (page: Page, { attempt_id: id }: Started) => page.getByTestId(testIds.attempt(id));
const stateOf = (page: Page) => page.getByTestId(testIds.attemptState).locator('.state');
const inState = (page: Page, state: string) =>
  stateOf(page)
    .and(page.locator(`[data-state=${state}]`))
    .waitFor();
const sidesOf = (page: Page) =>
  page
    .locator('.entries > li')
    .evaluateAll((items) => items.map((one) => one.getAttribute('data-side')));

describe.each(atLength(['ar', 'en'], ['ar']))('in %s', (locale) => {
  it('a sign-in by phone is seen live, and answered from the console', async () => {
    await using tab = await open(locale);
    const { page, client, scope } = tab;
    await page.getByTestId(testIds.empty).waitFor();
    const started = await tab.byPhone();
    await rowOf(page, started).click();
    await inState(page, 'pending');
    await client.status(started);
    await client.status(started);
    await page.getByTestId(testIds.repeated(3)).waitFor();
    const phone = (await page.getByTestId(testIds.toPhone).getAttribute('href')) ?? '';
    expect(phone).toContain(`scope=${scope}`);
    await using onPhone = await openPhoneAt(take, service().provider, phone.split('?')[1]);
    await cardOf(onPhone.page, started)
      .getByTestId(pageIds.number(started.random ?? ''))
      .click();
    await cardOf(onPhone.page, started).waitFor({ state: 'detached' });
    await client.status(started);
    await inState(page, 'authenticated');
    await client.token(started);
    await inState(page, 'redeemed');
    await page
      .getByText(/\/api\/v1\/token\//)
      .first()
      .waitFor();
    expect(new Set(await sidesOf(page))).toEqual(new Set(['area_a', 'phone']));
    expect(tab.complaints).toEqual([]);
  });

  it('a sign-in by browser is seen live', async () => {
    await using tab = await open(locale);
    const started = await tab.byBrowser();
    await rowOf(tab.page, started).click();
    await inState(tab.page, 'pending');
    await using person = await take();
    await person.page.goto(started.authorization_url ?? '');
    await tab.page.locator('.entry[data-side=browser]').first().waitFor();
    await person.page.getByTestId(pageIds.approve).click();
    await inState(tab.page, 'authenticated');
    await tab.page.locator('.entry[data-side=browser]').nth(1).waitFor();
    const name = { ar: 'أمل سالم', en: 'Amal Salem' }[locale] ?? '';
    await tab.page.locator('.attempt-facts', { hasText: name }).waitFor();
    await tab.page.locator('.back a').click();
    await tab.page.getByTestId(testIds.search).fill(name);
    await rowOf(tab.page, started).filter({ hasText: name }).waitFor();
    expect(tab.complaints).toEqual([]);
  });

  it('an error has what to do about it, and the coach its word', async () => {
    await using tab = await open(locale);
    const started = await tab.byPhone();
    const body = { attempt_token: started.attempt_token };
    expect((await tab.client.post(`/token/${started.attempt_id}`, body)).status).toBe(409);
    await rowOf(tab.page, started).click();
    const refused = tab.page.locator('.entry', { has: tab.page.locator('.code') });
    await refused.locator('summary').click();
    const link = refused.locator('.remedy a');
    expect(await link.getAttribute('href')).toBe(`/errors/attempt.pending?locale=${locale}`);
    await tab.page.getByTestId(testIds.findings).waitFor();
    await link.click();
    await tab.page.getByRole('heading', { level: 1 }).waitFor();
    expect(tab.page.url()).toContain('/errors/attempt.pending');
  });

  it('is accessible, in both colours, on a desk and on a phone', async () => {
    await using tab = await open(locale);
    const { page } = tab;
    const violations = async () => {
      const found: string[] = [];
      for (const scheme of ['light', 'dark'] as const) {
        for (const size of SIZES_IN[scheme]) {
          await page.setViewportSize(size);
          found.push(...(await axeFaultsIn(scheme, page)));
        }
      }
      await page.setViewportSize({ width: 320, height: 700 });
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320);
      return found;
    };
    expect(await violations()).toEqual([]);
    const started = await tab.byPhone();
    await tab.client.post(`/token/${started.attempt_id}`, { attempt_token: started.attempt_token });
    await rowOf(page, started).waitFor();
    expect(await violations()).toEqual([]);
    await rowOf(page, started).click();
    await page.locator('.entry summary').last().click();
    await page.locator('.details').waitFor();
    expect(await violations()).toEqual([]);
  });

  it('is used by keyboard alone', async () => {
    await using tab = await open(locale);
    const { page } = tab;
    const started = await tab.byPhone();
    await rowOf(page, started).waitFor();
    const press = async (wanted: string, key: string) => {
      for (let steps = 0; steps < 60; steps += 1) {
        await page.keyboard.press('Tab');
        if (await page.evaluate(`document.activeElement.matches('${wanted}')`)) break;
      }
      expect(await page.evaluate(`document.activeElement.matches('${wanted}')`)).toBe(true);
      await page.keyboard.press(key);
    };
    await press(`[data-testid="${testIds.attempt(started.attempt_id)}"]`, 'Enter');
    await page.getByTestId(testIds.timeLine).waitFor();
    await press('summary', 'Enter');
    await page.locator('.details').waitFor();
    await page.keyboard.press('Space');
    await page.locator('.details').waitFor({ state: 'detached' });
    await page.keyboard.press('Shift+Tab');
  });
});

describe('what is done with an attempt', () => {
  it('a replay ends as the first one did', async () => {
    await using tab = await open('en');
    const { page, client } = tab;
    const started = await tab.byPhone();
    const decision = JSON.stringify({ decision: 'refuse' });
    const headers = { 'content-type': 'application/json', 'x-miftah-scope': tab.scope };
    const path = `/simulator/prompts/${started.attempt_id}/decision`;
    expect((await client.send('POST', path, headers, decision)).status).toBe(200);
    await client.status(started);
    await rowOf(page, started).click();
    await inState(page, 'rejected');
    await page.getByTestId(testIds.replay).click();
    await page.waitForURL((url) => !url.hash.includes(started.attempt_id));
    await page.getByTestId(testIds.timeLine).waitFor();
    expect(page.url()).toMatch(/#\/attempts\/[0-9a-f-]{36}$/);
    expect(tab.complaints).toEqual([]);
  });

  it('is exported, and imported again', async () => {
    await using tab = await open('en');
    const { page } = tab;
    const started = await tab.byPhone();
    await rowOf(page, started).click();
    const waiting = page.waitForEvent('download');
    await page.getByTestId(testIds.exported).click();
    const content = await text(await (await waiting).createReadStream());
    await page.getByTestId(testIds.room('')).click();
    await page.getByTestId(testIds.importFile).setInputFiles({
      name: 'attempt.json',
      mimeType: 'application/json',
      buffer: Buffer.from(content),
    });
    await page.getByTestId(testIds.attemptState).getByText('From a file').waitFor();
    await page.getByTestId(testIds.room('')).click();
    await expect.poll(() => page.locator('.virtual > li').count()).toBe(2);
    expect(tab.complaints).toEqual([]);
  });

  it('no request leaves the origin, and nothing asks for the client’s token', async () => {
    await using tab = await open('en');
    await rowOf(tab.page, await tab.byBrowser()).click();
    await tab.page.getByTestId(testIds.timeLine).waitFor();
    const { provider } = service();
    expect(tab.requested.length).toBeGreaterThan(5);
    expect(tab.requested.filter((address) => !address.startsWith(provider))).toEqual([]);
  });
});

it('asks for the token of the simulator once, and again when it was wrong', async () => {
  await using tab = await take();
  const { page } = tab;
  await page.goto(`${guarded().provider}/console?locale=en`);
  const field = page.getByTestId(testIds.token);
  await field.fill('wrong');
  await page.keyboard.press('Enter');
  await page.getByText('The simulator did not take this token.').waitFor();
  await page.getByTestId(testIds.token).fill(TOKEN);
  await page.keyboard.press('Enter');
  await page.locator('[data-testid=connection][data-state=live]').waitFor();
  await page.reload();
  await page.getByTestId(testIds.empty).waitFor();
  expect(await page.getByTestId(testIds.token).count()).toBe(0);
});
