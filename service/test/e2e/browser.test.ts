import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { testIds } from '@miftah/pages';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { axeFaults, bringAxe } from '../../../scripts/axe.ts';
import { launchChromium } from '../../../scripts/browser.ts';
import { sharedTab, tabInTurn } from '../../../scripts/shared-tab.ts';
import { atLength, inArabicAtLeast } from '../../../scripts/test-length.ts';
import { recordCanaries } from '../support/canaries/run-folder.ts';
import { ApiClient, dataOf, type Started } from '../support/programs/api-client.ts';
import { clientForTest } from '../support/programs/for-test.ts';
import { openListening, shareListeningService } from '../support/service/listening-service.ts';

const FOCUSED = 'document.activeElement.dataset.testid';
const DIRECTION = '[document.documentElement.lang, document.documentElement.dir]';
const LANGUAGES = [
  ['ar', 'rtl'],
  ['en', 'ltr'],
] as const;

let browser: Browser;
const service = shareListeningService();
let client: ApiClient;

beforeAll(async () => {
  browser = await launchChromium();
  client = new ApiClient(service().origin);
});
afterAll(async () => {
  client.close();
  await browser.close();
});

const take = tabInTurn(() => browser);

describe('the sign-in page behind authorization_url', () => {
  it.each(LANGUAGES)('speaks %s, %s, and is accessible', async (locale, direction) => {
    const { authorization_url: address = '' } = await client.start({ locale });
    await using tab = await take();
    await tab.page.goto(address);

    expect(await tab.page.evaluate(DIRECTION)).toEqual([locale, direction]);
    expect(await axeFaults(tab.page)).toEqual([]);
    expect(tab.complaints).toEqual([]);
  });

  it('leads by a click, and no redirect, to the dashboard, whose code opens the token', async () => {
    const attempt = await client.start({ locale: 'ar' });
    await using tab = await take();
    const seen = redirectsOf(tab.page);
    await tab.page.goto(attempt.authorization_url ?? '');
    await tab.page.getByTestId(testIds.person('siobhan')).check();
    await tab.page.getByTestId(testIds.approve).click();
    await tab.page.waitForURL('**/dashboard?*');

    const code = codeIn(tab.page.url(), `${service().origin}/dashboard`, attempt);
    expect(seen).toEqual([]);
    expect(await tab.page.getByTestId(testIds.attemptId).textContent()).toBe(attempt.attempt_id);
    expect(await tab.page.getByTestId(testIds.completionCode).textContent()).toBe(code);
    expect(tab.complaints).toEqual([]);

    const { user } = await client.token(attempt, { completion_code: code });
    expect(user).toMatchObject({ english_name: "Siobhán Máire O'Specimen" });
  });

  it('is left by keyboard alone', async () => {
    const attempt = await client.start({ locale: 'en' });
    await using tab = await take();
    await tab.page.goto(attempt.authorization_url ?? '');
    for (const key of ['Tab', 'Tab', 'ArrowDown', 'Tab']) await tab.page.keyboard.press(key);
    expect(await tab.page.evaluate(FOCUSED)).toBe(testIds.approve);
    await tab.page.keyboard.press('Enter');
    await tab.page.waitForURL('**/dashboard?*');

    const code = codeIn(tab.page.url(), `${service().origin}/dashboard`, attempt);
    const { user } = await client.token(attempt, { completion_code: code });
    expect(user).toMatchObject({ english_name: 'Faisal Omar Khalid Altajribi' });
    expect(tab.complaints).toEqual([]);
  });

  it.each(atLength([testIds.refuse, testIds.notMe], [testIds.notMe]))(
    'ends the attempt by %s',
    async (button) => {
      const attempt = await client.start({ locale: 'en' });
      await using tab = await take();
      await tab.page.goto(attempt.authorization_url ?? '');
      await tab.page.getByTestId(button).click();
      await tab.page.waitForURL('**/dashboard?*error=access_denied*');

      expect(dataOf(await client.status(attempt))).toMatchObject({ status: 'rejected' });
      expect(await axeFaults(tab.page)).toEqual([]);
      await tab.page.goto(attempt.authorization_url ?? '');
      expect(await tab.page.getByTestId(testIds.approve).count()).toBe(0);
    },
  );
});

describe('DASHBOARD_URL on another origin', () => {
  it('is reached: the page lets its form lead there, and the code opens the token', async () => {
    const dashboard = await serveDashboard();
    const own = await openListening({ settings: { DASHBOARD_URL: `${dashboard}?a=b` } });
    const ownClient = clientForTest(own);
    const attempt = await ownClient.start({ locale: 'ar' });
    await using tab = await take();
    await tab.page.goto(attempt.authorization_url ?? '');
    await tab.page.getByTestId(testIds.approve).click();
    await tab.page.waitForURL(`${dashboard}?*`);

    expect(await tab.page.textContent('h1')).toBe('An application of its own');
    expect(new URL(tab.page.url()).searchParams.get('a')).toBe('b');
    const code = codeIn(tab.page.url(), dashboard, attempt);
    expect(await ownClient.token(attempt, { completion_code: code })).toMatchObject({
      token_type: 'Bearer',
    });
    expect(tab.complaints).toEqual([]);
  });
});

/** pages/test/accessibility.test.ts has them in both languages, without the service. */
const PAGES = ['/', '/errors', '/errors/attempt.pending', '/dashboard'].flatMap((path) =>
  inArabicAtLeast(LANGUAGES).map(([locale, direction]) => [path, locale, direction] as const),
);

describe('the pages at the origin', () => {
  const sharing = sharedTab(() => browser);
  beforeAll(async () => void (await bringAxe(sharing().page)));

  it.each(PAGES)('%s is accessible in %s', async (path, locale, direction) => {
    const tab = sharing();
    await tab.page.goto(`${service().origin}${path}?locale=${locale}`);

    expect(await tab.page.evaluate(DIRECTION)).toEqual([locale, direction]);
    expect(await axeFaults(tab.page)).toEqual([]);
    expect(tab.complaints).toEqual([]);
  });
});

/** The statuses of the redirects that led to this page. */
function redirectsOf(page: Page): number[] {
  const seen: number[] = [];
  page.on('response', (response) => {
    if (response.status() >= 300 && response.status() < 400) seen.push(response.status());
  });
  return seen;
}

/** Checks the address of the tab. @returns the completion code in it */
function codeIn(address: string, expected: string, attempt: Started): string {
  const { origin, pathname, searchParams } = new URL(address);
  expect(origin + pathname).toBe(expected);
  expect(searchParams.get('attempt_id')).toBe(attempt.attempt_id);
  const code = searchParams.get('completion_code') ?? '';
  expect(code).toMatch(/^[\w-]{43}$/);
  recordCanaries('completion code', [code]);
  return code;
}

async function serveDashboard(): Promise<string> {
  const server = createServer((_, response) => {
    const page = '<!doctype html><link rel="icon" href="data:,"><h1>An application of its own</h1>';
    response.writeHead(200, { 'content-type': 'text/html' }).end(page);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/finish`;
}
