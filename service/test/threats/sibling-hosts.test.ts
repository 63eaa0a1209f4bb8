import { testIds } from '@miftah/pages';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { atLength } from '../../../scripts/test-length.ts';
import { launchChromium } from '../../../scripts/browser.ts';
import { tabInTurn } from '../../../scripts/shared-tab.ts';
import { LiveClient } from '../support/live/live-client.ts';
import { PersonBrowser } from '../support/live/person-browser.ts';
import { BANK_KEY } from '../support/live/rehearsal.ts';
import { openRehearsal, type OpenedRehearsal } from '../support/live/shared-rehearsal.ts';
import { times } from '../support/attacks/crowd.ts';
import { sandboxed, shareEvilSite } from '../support/attacks/evil-site.ts';
import { OWN_SECRET } from '../support/live/steps.ts';

/** Attacks with a real browser, by a sibling host of the service or by any other site. */

/**
 * Chromium resolves every name below localhost to this machine. These names share the domain
 * app.localhost.
 */
const SERVICE_NAME = 'auth.app.localhost';
const SIBLING_NAME = 'evil.app.localhost';

let browser: Browser;
let rehearsal: OpenedRehearsal;
let bank: LiveClient;
const evil = shareEvilSite();

beforeAll(async () => {
  const settings = { ALLOWED_HOSTS: `127.0.0.1,${SERVICE_NAME}` };
  [browser, rehearsal] = await Promise.all([launchChromium(), openRehearsal({ settings })]);
  bank = new LiveClient(rehearsal, BANK_KEY);
});
afterAll(async () => {
  await Promise.all([browser.close(), rehearsal[Symbol.asyncDispose]()]);
});

const take = tabInTurn(() => browser);

async function cookieNames(page: Page): Promise<string[]> {
  return (await page.context().cookies()).map(({ name }) => name);
}

/** The Cookie header that the browser sends, read as latin1. */
async function cookieHeaderOf(page: Page, address: string): Promise<[number, string]> {
  const answer = await page.goto(address);
  const { cookie = '' } = (await answer?.request().allHeaders()) ?? {};
  return [answer?.status() ?? 0, cookie];
}

const EVERY_COOKIE = [
  ['behind the byte A0', '\u00a0', true],
  ['behind a no-break space in UTF-8', '\u00c2\u00a0', true],
  ['behind an en quad in UTF-8', '\u00e2\u0080\u0080', true],
  ['without a name', '=', false],
  ['as it is', '', false],
] as const;
/** One that the browser sends with a value, and one that it does not. */
const COOKIES = atLength(EVERY_COOKIE, EVERY_COOKIE.slice(2, 4));

describe('threat 58: a cookie of a sibling host, in Chromium', () => {
  it.each(COOKIES)('%s is not the browser’s own', async (_, before, isKept) => {
    const started = await bank.startRedirect();
    const attacker = new PersonBrowser();
    const page = await attacker.launch(started.authorization_url);
    const [[name = '', value = ''] = []] = attacker.cookies;
    const back = await attacker.returnFrom(page, 'amal');
    // The person approved the sign-in that the attacker launched, and returns.
    await using victim = await take();
    const cookie = `${before}${name}=${value}; Domain=app.localhost; Path=/`;
    await victim.page.goto(evil().page(SIBLING_NAME, { cookie }));
    const address = new URL(back);
    address.hostname = SERVICE_NAME;
    const [status, sent] = await cookieHeaderOf(victim.page, address.href);
    expect(sent.includes(value)).toBe(isKept);
    expect(status).toBe(403);
    const taken = await attacker.open(back);
    expect([taken.status, taken.location]).toEqual([403, null]);
    expect((await bank.status(started)).data).toMatchObject({ status: 'failed', user: null });
  });
});

/** Presses the button, and stops at the provider's sign-in page. */
async function launchIn(page: Page, address: string): Promise<string> {
  await page.goto(address);
  await page.getByTestId(testIds.launch).click();
  await page.waitForURL(`${rehearsal.origins.simulator}/**`);
  return page.url();
}

/**
 * Approves on the provider's page in a new tab. @returns the address that the service redirects to
 */
async function approveAt({ page }: { page: Page }, providerPage: string): Promise<string> {
  const tab = await page.context().newPage();
  await tab.goto(providerPage);
  await tab.getByTestId(testIds.person('amal')).check();
  // The hand-over page submits itself, and the final address has no server.
  const arriving = tab.waitForRequest('https://bank.example.test/**');
  await tab.getByTestId(testIds.approve).click();
  const address = (await arriving).url();
  await tab.close();
  return address;
}

describe('threat 61: sign-ins beside each other, in Chromium', () => {
  it('nine that were launched in one browser all come back', async () => {
    await using tab = await take();
    const pages: string[] = [];
    for (const _ of times(9)) {
      const { authorization_url: address } = await bank.startRedirect();
      pages.push(await launchIn(tab.page, address));
    }
    expect(await tab.page.context().cookies()).toHaveLength(9);
    // What pushes a cookie out pushes out the first one, or does not take the last.
    for (const page of atLength(pages, [pages[0], pages[8]])) {
      expect(await approveAt(tab, String(page))).toContain('completion_code=');
    }
  });

  it('a popup that walks through launch pages takes nothing away', async () => {
    await using tab = await take();
    const { authorization_url: address } = await bank.startRedirect();
    const page = await launchIn(tab.page, address);
    const popup = await tab.page.context().newPage();
    for (const _ of times(12)) await popup.goto((await bank.startRedirect()).authorization_url);
    await popup.close();
    expect(await tab.page.context().cookies()).toHaveLength(1);
    expect(await approveAt(tab, page)).toContain('completion_code=');
  });

  it('two presses of one button, and one more after going back, are of one browser', async () => {
    await using tab = await take();
    const { authorization_url: address } = await bank.startRedirect();
    await tab.page.goto(address);
    await tab.page.getByTestId(testIds.launch).dblclick();
    // The second press interrupts the navigation of the first one, which `waitForURL` would report
    // as an error.
    await expect.poll(() => tab.page.url()).toContain(rehearsal.origins.simulator);
    await tab.page.waitForLoadState();
    await tab.page.goBack();
    await tab.page.getByTestId(testIds.launch).click();
    await tab.page.waitForURL(`${rehearsal.origins.simulator}/**`);
    expect(await approveAt(tab, tab.page.url())).toContain('completion_code=');
  });

  it('the button says where it is, and the provider is not told from where', async () => {
    await using tab = await take();
    const { authorization_url: address } = await bank.startRedirect();
    const asked: (string | null)[][] = [];
    tab.page.on('request', (request) => {
      if (!request.isNavigationRequest()) return;
      const headers = ['origin', 'referer'].map((name) => request.headerValue(name));
      void Promise.all(headers).then((values) => asked.push([request.method(), ...values]));
    });
    await launchIn(tab.page, address);
    await expect.poll(() => asked.length).toBe(3);
    expect(asked).toEqual([
      ['GET', null, null],
      ['POST', rehearsal.origins.service, address],
      ['GET', null, null],
    ]);
    expect(tab.complaints).toEqual([]);
  });
});

const form = (action: string, id: string) =>
  `<form method=post action="${action}"><input name=state value="${id}">
    <input name=secret value="${OWN_SECRET}"></form>
    <script>document.forms[0].submit()</script>`;

type OtherPage = readonly [what: string, host: string, place: (html: string) => string];
const OTHER_PAGES: readonly OtherPage[] = [
  ['of another site', '127.0.0.1', String],
  ['of another port of the same host', 'localhost', String],
  ['of a sibling host', SIBLING_NAME, String],
  [
    'that hides where it is',
    'localhost',
    (html) => `<meta name=referrer content=no-referrer>${html}`,
  ],
  ['in a sandbox, without an origin', 'localhost', sandboxed],
];

describe('threat 61: a launch form on another page, in Chromium', () => {
  it.each(atLength(OTHER_PAGES, OTHER_PAGES.slice(2)))(
    '%s is refused, sets no cookie and binds nothing',
    async (_, name, place) => {
      const { attempt_id: id, authorization_url: address } = await bank.startRedirect();
      const { href: action } = new URL('/api/v1/callback/launch', address);
      await using tab = await take();
      const refused = tab.page.waitForResponse(action);
      await tab.page
        .goto(evil().page(name, { html: place(form(action, id)) }))
        .catch(() => undefined);
      expect((await refused).status()).toBe(403);
      expect(await cookieNames(tab.page)).toEqual([]);
      await using own = await take();
      await launchIn(own.page, address);
      expect(await cookieNames(own.page)).toHaveLength(1);
    },
  );
});
