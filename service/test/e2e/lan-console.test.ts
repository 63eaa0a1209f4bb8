import { testIds as pageIds } from '@miftah/pages';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { atLength } from '../../../scripts/test-length.ts';
import { axeFaults } from '../../../scripts/axe.ts';
import { launchChromium, openTab } from '../../../scripts/browser.ts';
import { testIds } from '../../../console/src/test-ids.ts';
import { share } from '../support/at-end.ts';
import { cardOf, said } from '../support/client/phone-page.ts';
import { simulate } from '../support/client/web-example.ts';
import { ApiClient } from '../support/programs/api-client.ts';
import { entranceIn, lanAddress } from '../support/programs/lan-address.ts';
import { startService } from '../support/programs/service-process.ts';
import { until } from '../support/programs/until.ts';
import { readSymbol } from '../support/qr/read-symbol.ts';

/** From the banner of `--lan` to the console, and from its symbol to a phone. */

const LANGUAGES = atLength(['ar', 'en'], ['ar']);
const EVERY_LOOK = [
  ['ar', 'dark'],
  ['en', 'light'],
] as const;
const LOOKS = atLength(EVERY_LOOK, EVERY_LOOK.slice(0, 1));
const FAISAL = '1000002201';
const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };
const QUIET_ZONE = 4;

let browser: Browser;
beforeAll(async () => void (browser = await launchChromium()));
afterAll(async () => browser.close());

const service = share(async (atEnd) => {
  const started = await startService({ lan: lanAddress(), settings: { LOG_LEVEL: 'trace' } });
  atEnd(async () => void (await started.kill()));
  return started;
});

/** Dark and light pixels of the symbol as the browser paints them: one of each module's middle. */
async function painted(page: Page): Promise<readonly (readonly string[])[]> {
  const symbol = page.getByTestId(testIds.symbol);
  const size = Number((await symbol.getAttribute('viewBox'))?.split(' ')[2]);
  const png = (await symbol.screenshot()).toString('base64');
  return page.evaluate(
    async ([image, modules]) => {
      const bitmap = await createImageBitmap(
        new Blob([Uint8Array.from(atob(image), (one) => one.charCodeAt(0))], { type: 'image/png' }),
      );
      const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
      const context = canvas.getContext('2d', { willReadFrequently: true });
      context?.drawImage(bitmap, 0, 0);
      const step = bitmap.width / modules;
      return Array.from({ length: modules }, (_, row) =>
        Array.from({ length: modules }, (__, column) => {
          const [x, y] = [(column + 0.5) * step, (row + 0.5) * step].map(Math.floor);
          const { data } = context?.getImageData(x ?? 0, y ?? 0, 1, 1) ?? { data: [] };
          return [...data].slice(0, 3).join(',');
        }),
      );
    },
    [png, size] as const,
  );
}

/** The text of the symbol on the page, which has to be black on white with its margin. */
async function scanned(page: Page): Promise<string> {
  const pixels = await painted(page);
  const colours = new Set(pixels.flat());
  expect(colours).toEqual(new Set(['0,0,0', '255,255,255']));
  const isMargin = (place: number) => place < QUIET_ZONE || place >= pixels.length - QUIET_ZONE;
  const margin = pixels.flatMap((row, y) => row.filter((_, x) => isMargin(x) || isMargin(y)));
  expect(new Set(margin)).toEqual(new Set(['255,255,255']));
  const inner = pixels.slice(QUIET_ZONE, -QUIET_ZONE);
  return readSymbol(
    inner.map((row) => row.slice(QUIET_ZONE, -QUIET_ZONE).map((colour) => colour === '0,0,0')),
  );
}

describe('the console of an instance that is open to the local network', () => {
  it('comes in by the banner, and lets phones in by its symbol', async () => {
    await until(() => service().stdout().includes('Ctrl-C stops it'));
    await using desk = await openTab(browser, { locale: 'en' });
    await desk.page.goto(entranceIn(service().stdout()).console);
    await desk.page.getByTestId(testIds.room('phone')).click();
    await desk.page.getByTestId(testIds.symbol).waitFor();
    expect(desk.page.url()).toBe(`${service().origin}/console#/phone`);
    for (const [locale, colorScheme] of LOOKS) {
      await desk.page.emulateMedia({ colorScheme });
      await desk.page.goto(`${service().origin}/console?locale=${locale}#/phone`);
      await desk.page.getByTestId(testIds.symbol).waitFor();
      const address = await scanned(desk.page);
      const shown = await desk.page.getByTestId(testIds.phoneAddress).textContent();
      expect(shown).toBe(address);
      expect(address).toContain(`${service().origin}/simulator/phone?locale=${locale}#code=`);
      expect(await axeFaults(desk.page)).toEqual([]);
      await approveAt(address);
    }
    expect(desk.complaints).toEqual([]);
  });

  it('makes another code when it is asked, copies the address, and fits a small window', async () => {
    await using desk = await openTab(browser, {
      locale: 'en',
      viewport: { width: 320, height: 700 },
    });
    await desk.page.goto(await consoleAddress());
    await desk.page.getByTestId(testIds.room('phone')).click();
    const address = desk.page.getByTestId(testIds.phoneAddress);
    const first = await address.textContent();
    await desk.page.getByTestId(testIds.anotherCode).click();
    await expect.poll(() => address.textContent()).not.toBe(first);
    await desk.page.getByTestId(testIds.copyAddress).click();
    await desk.page.getByText('Copied', { exact: false }).waitFor();
    expect(await desk.page.evaluate('document.documentElement.scrollWidth')).toBe(320);
  });

  it('says what to do about a code that was used', async () => {
    const address = await consoleAddress();
    await using first = await openTab(browser, { locale: 'en' });
    await first.page.goto(address);
    await first.page.getByTestId(testIds.room('phone')).click();
    await first.page.getByTestId(testIds.symbol).waitFor();
    await using second = await openTab(browser, { locale: 'en' });
    await second.page.goto(address);
    await second.page.getByTestId(testIds.codeRefused).waitFor();
    expect(second.page.url()).not.toContain('code=');
  });
});

describe('the console of an instance for this machine alone', () => {
  const local = share((atEnd) => simulate({}, atEnd));

  it.each(LANGUAGES)('says in %s why it has no symbol, and what to run', async (locale) => {
    await using tab = await openTab(browser);
    await tab.page.goto(`${local().provider}/console?locale=${locale}#/phone`);
    const why = tab.page.getByTestId(testIds.noSymbol);
    await why.waitFor();
    expect(await why.textContent()).toContain('npm start -- --lan');
    expect(await tab.page.getByTestId(testIds.symbol).count()).toBe(0);
    // That would speak of the symbol.
    expect(await tab.page.locator('.lead').count()).toBe(0);
    expect(await axeFaults(tab.page)).toEqual([]);
    expect(tab.complaints).toEqual([]);
  });
});

/** A phone that scans the address approves what waits. */
async function approveAt(address: string): Promise<void> {
  await using phone = await openTab(browser, PHONE);
  await phone.page.goto(address);
  await phone.page.getByTestId(pageIds.phoneEmpty).waitFor();
  const client = new ApiClient(service().origin);
  const started = await client.start({ locale: 'en', national_id: FAISAL });
  await cardOf(phone.page, started)
    .getByTestId(pageIds.number(started.random ?? ''))
    .tap();
  await expect.poll(() => said(phone.page)).toMatch(/^(Approved|تمت الموافقة)/);
  expect((await client.status(started)).text).toContain('"authenticated"');
  expect(phone.complaints).toEqual([]);
}

/** The address of the console with a new code, got by a phone that is in. */
async function consoleAddress(): Promise<string> {
  const { phone } = entranceIn(service().stdout());
  const { code } = await codeFor(phone);
  return `${service().origin}/console?locale=en#code=${code}`;
}

let cookie: string | null = null;

async function codeFor(phone: string): Promise<{ readonly code: string }> {
  const headers = { origin: service().origin, 'content-type': 'application/json' };
  if (cookie === null) {
    const code = new URLSearchParams(new URL(phone).hash.slice(1)).get('code');
    const entered = await fetch(`${service().origin}/simulator/session`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ code }),
    });
    cookie = String(entered.headers.get('set-cookie')).split(';')[0] ?? '';
  }
  const answer = await fetch(`${service().origin}/simulator/session-codes`, {
    method: 'POST',
    headers: { ...headers, cookie },
    body: '{}',
  });
  return ((await answer.json()) as { data: { code: string } }).data;
}
