import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { testIds } from '@miftah/pages';
import type { Browser, BrowserContextOptions } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inArabicAtLeast, atLength } from '../../../scripts/test-length.ts';
import { axeFaultsIn } from '../../../scripts/axe.ts';
import { launchChromium, openTab } from '../../../scripts/browser.ts';
import { share } from '../support/at-end.ts';
import { cardOf, said } from '../support/client/phone-page.ts';
import { ApiClient } from '../support/programs/api-client.ts';
import { entranceIn, lanAddress } from '../support/programs/lan-address.ts';
import { startService } from '../support/programs/service-process.ts';
import { until } from '../support/programs/until.ts';
import { readSymbol } from '../support/qr/read-symbol.ts';
import { terminalSymbol } from '../support/qr/terminal-symbol.ts';

/**
 * `npm start -- --lan`, from an address of this machine that is not loopback: plain http, where
 * browsers send no Sec-Fetch-Site and take no Secure cookie.
 */

const LANGUAGES = atLength(['ar', 'en'], ['ar']);
const AMAL = '1000001101';
const TOKEN = 'a-token-that-is-long-enough';
const PHONE: BrowserContextOptions = {
  viewport: { width: 390, height: 844 },
  deviceScaleFactor: 3,
  isMobile: true,
  hasTouch: true,
};

let browser: Browser;
beforeAll(async () => void (browser = await launchChromium()));
afterAll(async () => browser.close());

const service = share(async (atEnd) => {
  const started = await startService({
    lan: lanAddress(),
    settings: { SIMULATOR_TOKEN: TOKEN, LOG_LEVEL: 'trace' },
  });
  atEnd(async () => void (await started.kill()));
  return started;
});

const printed = async () => {
  await until(() => service().stdout().includes('Ctrl-C stops it'));
  return service().stdout();
};

/** The address of the phone with a new code. */
async function phoneAddress(locale = 'en'): Promise<string> {
  const headers = { authorization: `Bearer ${TOKEN}` };
  const answer = await fetch(`${service().origin}/simulator/session-codes`, {
    method: 'POST',
    headers,
  });
  const { data } = (await answer.json()) as { data: { code: string; phone_url: string } };
  return `${data.phone_url}?locale=${locale}#code=${data.code}`;
}

/** An address whose code a browser has used. */
async function usedAddress(locale: string): Promise<string> {
  const address = await phoneAddress(locale);
  await using first = await openTab(browser, PHONE);
  await first.page.goto(address);
  await first.page.getByTestId(testIds.phoneEmpty).waitFor();
  return address;
}

/** Another browser at such an address. */
async function openUsed(address: string) {
  const tab = await openTab(browser, PHONE);
  await tab.page.goto(address);
  await tab.page.locator('[data-code=refused]').waitFor();
  return tab;
}

describe('a start with --lan', () => {
  it('lets a phone in by the symbol of the banner, which approves what waits', async () => {
    const banner = await printed();
    const { phone } = entranceIn(banner);
    const { modules, margin } = terminalSymbol(banner);
    expect([margin, readSymbol(modules)]).toEqual([4, phone]);
    expect(phone).toMatch(new RegExp(`^${service().origin}/simulator/phone#code=[\\w-]{22}$`));
    expect(banner).toContain('OPEN TO THE LOCAL NETWORK');
    // The colours of the symbol are for terminals alone.
    expect(banner).not.toContain('\u001B');

    await using tab = await openTab(browser, { ...PHONE, locale: 'en' });
    const { page } = tab;
    await page.goto(phone);
    await page.getByTestId(testIds.phoneEmpty).waitFor();
    expect(page.url()).toBe(`${service().origin}/simulator/phone`);
    expect(await page.evaluate('document.cookie')).toBe('');
    const client = new ApiClient(service().origin);
    const started = await client.start({ locale: 'en', national_id: AMAL });
    await cardOf(page, started)
      .getByTestId(testIds.number(started.random ?? ''))
      .tap();
    await expect.poll(() => said(page)).toBe('Approved.');
    expect((await client.status(started)).text).toContain('"authenticated"');
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    expect(tab.complaints).toEqual([]);

    await page.reload();
    await page.getByTestId(testIds.phoneEmpty).waitFor();
  });

  it.each(
    inArabicAtLeast([
      ['ar', /^سبق استخدام الرمز المؤقت/],
      ['en', /^The code in this address was used/],
    ] as const),
  )('says in %s what to do about a code that was used', async (locale, text) => {
    await using tab = await openUsed(await usedAddress(locale));
    const { page } = tab;
    expect(page.url()).not.toContain('#code');
    expect(await page.locator('[data-code=refused]').textContent()).toMatch(text);
    expect(await page.locator('[data-wrong]').isVisible()).toBe(false);
  });

  it.each(LANGUAGES)('says it in %s to everybody, on a narrow page', async (locale) => {
    await using tab = await openUsed(await usedAddress(locale));
    const { page } = tab;
    for (const scheme of ['light', 'dark'] as const) {
      expect(await axeFaultsIn(scheme, page)).toEqual([]);
    }
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
  });

  it('takes a new code in the address of the page that is open', async () => {
    await using tab = await openUsed(await usedAddress('en'));
    const { hash } = new URL(await phoneAddress());
    await tab.page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
    await tab.page.getByTestId(testIds.phoneEmpty).waitFor();
  });

  it('asks again when the session has ended', async () => {
    await using tab = await openTab(browser, PHONE);
    const { page } = tab;
    await page.goto(await phoneAddress());
    await page.getByTestId(testIds.phoneEmpty).waitFor();
    const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };
    const reset = `${service().origin}/simulator/reset`;
    expect((await fetch(reset, { method: 'POST', headers, body: '{}' })).status).toBe(200);
    await page.getByTestId(testIds.simulatorToken).waitFor();
    expect(await page.locator('[data-code=refused]').isVisible()).toBe(false);
  });

  it('lets no page of another port of the machine use the cookie, although it is sent', async () => {
    let cookies = '';
    const elsewhere = createServer(({ headers: { cookie = '' } }, response) => {
      cookies += cookie;
      response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html>');
    });
    await once(elsewhere.listen(0, lanAddress()), 'listening');
    try {
      await using tab = await openTab(browser, PHONE);
      const { page } = tab;
      await page.goto(await phoneAddress());
      await page.getByTestId(testIds.phoneEmpty).waitFor();
      const { port } = elsewhere.address() as AddressInfo;
      // Browsers do not separate cookies by port.
      await page.goto(`http://${lanAddress()}:${port}/simulator`);
      expect(cookies).toContain('miftah_simulator_');
      const next = `${service().origin}/simulator/next`;
      const [sent] = await Promise.all([
        page.waitForRequest(next),
        page.evaluate(
          (address) =>
            fetch(address, {
              method: 'POST',
              mode: 'no-cors',
              credentials: 'include',
              body: '{"outcome":"refuses"}',
            }).then(() => undefined),
          next,
        ),
      ]);
      expect((await sent.response())?.status()).toBe(403);
      const headers = { authorization: `Bearer ${TOKEN}` };
      expect(await (await fetch(next, { headers })).json()).toEqual({ data: [] });
    } finally {
      elsewhere.close();
      elsewhere.closeAllConnections();
    }
  });

  it('is reached by this machine too, which needs the token or a code as well', async () => {
    const answer = await fetch(`${service().origin}/simulator/people`);
    expect(answer.status).toBe(401);
  });
});
