import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import process from 'node:process';
import { promisify } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { atLength } from '../../../scripts/test-length.ts';
import { axeFaultsIn } from '../../../scripts/axe.ts';
import { launchChromium, openTab } from '../../../scripts/browser.ts';
import { tabInTurn } from '../../../scripts/shared-tab.ts';
import { copyExample } from '../support/client/copied-example.ts';
import { expectInView, PHONES } from '../support/client/in-view.ts';
import {
  decideInBrowser,
  decideOnPhoneOf,
  openHurriedRehearsal,
  shareWebExample,
  WEB_MODES,
} from '../support/client/web-example.ts';

/** The application of examples/web, in Chromium, without a change in every mode. */

const AMAL = '1000001101';
const UNKNOWN = '1900000021';

/** How long the push can be answered, less what a busy machine needs for the page. */
const LEFT: Readonly<Record<(typeof WEB_MODES)[number][0], RegExp>> = {
  'simulator mode': /^(?:5:00|[2-4]:\d\d)$/,
  'strict mode': /^(?:1:00|0:\d\d)$/,
  'the rehearsal of live mode': /^(?:4:00|[1-3]:\d\d)$/,
};

/** Live mode asks most of an application: a key, and return addresses that it knows. */
const TRIED = atLength(WEB_MODES, WEB_MODES.slice(2));

let browser: Browser;
beforeAll(async () => void (browser = await launchChromium()));
afterAll(async () => browser.close());

const take = tabInTurn(() => browser);

const wherePath = ({ pathname, search }: URL) => pathname + search;

async function beginByPhone(page: Page, origin: string, nationalId: string): Promise<void> {
  await page.goto(origin);
  await page.getByRole('textbox').fill(nationalId);
  await page.getByTestId('by-phone').click();
}

describe.each(TRIED)('the example application in %s', (mode, open) => {
  const example = shareWebExample(open);

  it('signs in by browser, and out', async () => {
    await using tab = await take();
    const { page } = tab;
    await page.goto(example().origin);
    await page.getByTestId('by-browser').click();
    await decideInBrowser(page);
    await page.waitForURL(`${example().origin}/`);
    expect(await page.getByTestId('who').textContent()).toMatch(/^أمل/);
    const cookies = (await page.context().cookies()).filter(({ name }) => name === 'session');
    expect(cookies).toMatchObject([{ httpOnly: true, sameSite: 'Lax', path: '/' }]);
    await page.getByRole('button').click();
    await page.getByTestId('by-browser').waitFor();
    expect(await page.getByTestId('who').count()).toBe(0);
    expect(tab.complaints).toEqual([]);
  });

  it('signs in by phone, and the page goes on by itself', async () => {
    await using tab = await take();
    const { page } = tab;
    await beginByPhone(page, `${example().origin}/?lang=en`, AMAL);
    expect(await page.locator('miftah-wait [part=digits]').textContent()).toMatch(/^\d+$/);
    await expect.poll(() => page.locator('miftah-wait [part=time]').textContent()).toMatch(/\d/);
    expect(await page.locator('miftah-wait [part=time]').textContent()).toMatch(LEFT[mode]);
    // The bar is of the time that the push has, and begins full.
    const rest = page.locator('miftah-wait [part=rest]');
    const share = await rest.evaluate((bar: HTMLElement) => bar.style.getPropertyValue('--rest'));
    expect(Number(share)).toBeGreaterThan(0.5);
    for (const [place, size] of PHONES.entries()) {
      await page.setViewportSize(size);
      await page.goto(new URL(`?locale=${place === 1 ? 'ar' : 'en'}`, page.url()).href);
      await expectInView(page.locator('miftah-wait [part=digits]'));
      expect(await page.locator('miftah-wait:focus').getAttribute('aria-label')).toMatch(/: \d \d/);
    }
    await decideOnPhoneOf(example(), AMAL);
    await page.waitForURL(`${example().origin}/`);
    expect(await page.getByTestId('who').textContent()).toMatch(/^Amal/);
    expect(tab.complaints).toEqual([]);
  });

  it('says that the person has refused, by browser and by phone', async () => {
    await using tab = await take();
    const { page } = tab;
    await page.goto(example().origin);
    await page.getByTestId('by-browser').click();
    await decideInBrowser(page, 'refuse');
    await page.waitForURL((url) => wherePath(url) === '/?ended=rejected');
    expect(await page.getByRole('alert').textContent()).toMatch(/^رُفض/);
    await page.goto(`${example().origin}/?lang=en`);
    await beginByPhone(page, example().origin, '1900000010');
    await page.waitForURL((url) => wherePath(url) === '/?ended=rejected');
    expect(await page.getByRole('alert').textContent()).toMatch(/^The request was refused/);
  });

  it('says that the person has cancelled, also when the page hears of the end first', async () => {
    await using tab = await take();
    const { page } = tab;
    await beginByPhone(page, `${example().origin}/?lang=en`, AMAL);
    await expect.poll(() => page.locator('miftah-wait [part=time]').textContent()).toMatch(/\d/);
    await page.locator('miftah-wait').evaluate((element) => {
      const end = () => element.dispatchEvent(new Event('miftah-end', { bubbles: true }));
      document.addEventListener('submit', () => requestAnimationFrame(end));
    });
    await page.locator('form[action*="/cancel"] button').click();
    await page.waitForURL((url) => wherePath(url) === '/?ended=cancelled');
  });

  it.each([
    [UNKNOWN, /does not know this number/],
    ['12345', /no national id/],
  ])('says that the number is wrong: %s', async (number, said) => {
    await using tab = await take();
    await beginByPhone(tab.page, `${example().origin}/?lang=en`, number);
    expect(await tab.page.getByRole('alert').textContent()).toMatch(said);
    // A digit can be corrected where it stands.
    expect(await tab.page.getByRole('textbox').inputValue()).toBe(number);
  });

  it('goes on after a request for no address', async () => {
    const { origin } = example();
    const { port } = new URL(origin);
    const asked = get({ host: '127.0.0.1', port, path: '//' });
    const [answer] = (await once(asked, 'response')) as [IncomingMessage];
    answer.resume();
    expect(answer.statusCode).toBe(404);
    expect((await fetch(origin)).status).toBe(200);
  });

  it('takes a form only from its own pages', async () => {
    const { origin } = example();
    for (const path of ['/sign-in/start', '/sign-in/finish', '/sign-in/cancel', '/sign-in/out']) {
      for (const from of ['https://evil.example', 'null', undefined]) {
        const headers: Record<string, string> = from === undefined ? {} : { origin: from };
        const answer = await fetch(origin + path, {
          method: 'POST',
          headers,
          redirect: 'manual',
        });
        expect([path, from, answer.status]).toEqual([path, from, 403]);
      }
    }
  });
});

const EXPIRING = [
  ...WEB_MODES.slice(0, 2),
  ['a rehearsal with short pushes', openHurriedRehearsal],
] as const;

describe.each(atLength(EXPIRING, EXPIRING.slice(0, 1)))('time in %s', (_, open) => {
  const example = shareWebExample(open);

  it('says that a sign-in has expired', async () => {
    await using tab = await take();
    const { page } = tab;
    await beginByPhone(page, example().origin, AMAL);
    await page.waitForURL(({ href }) => href !== `${example().origin}/`);
    example().inside?.letExpire();
    await page.waitForURL((url) => wherePath(url) === '/?ended=expired');
    expect(await page.getByRole('alert').textContent()).toMatch(/^انتهت صلاحية/);
  });
});

describe('a copy of the example', () => {
  let program = '';
  const example = shareWebExample(WEB_MODES[1][1], async (atEnd) => [
    (program = await copyExample(atEnd)),
  ]);

  it('says what to do where its port is taken, and ends', async () => {
    const again = promisify(execFile)(process.execPath, [program], {
      env: { PATH: process.env['PATH'], APP_URL: example().origin },
    });
    await expect(again).rejects.toThrow(
      /\nlisten EADDRINUSE: .+\. Stop that program, or set APP_URL to an address with another port\.\n$/,
    );
  });

  it('works with the client as it is published', async () => {
    await using tab = await take();
    const { page } = tab;
    await beginByPhone(page, example().origin, AMAL);
    await page.locator('miftah-wait [part=digits]').waitFor();
    await decideOnPhoneOf(example(), AMAL);
    await page.getByTestId('who').waitFor();
    expect(tab.complaints).toEqual([]);
  });
});

describe('what waits in simulator mode', () => {
  const example = shareWebExample(WEB_MODES[0][1]);

  it('has a number and a button where the browser runs no scripts', async () => {
    await using tab = await openTab(browser, { javaScriptEnabled: false });
    const { page } = tab;
    await beginByPhone(page, example().origin, AMAL);
    expect(await page.locator('.number').textContent()).toMatch(/^\d{6}$/);
    await decideOnPhoneOf(example(), AMAL);
    await page.getByTestId('look').click();
    await page.getByTestId('who').waitFor();
    expect(await page.getByTestId('who').textContent()).toMatch(/^أمل/);
  });

  it('goes on by its form where the browser has not got the element', async () => {
    await using tab = await openTab(browser);
    const { page } = tab;
    await page.route('**/element.js', (route) => route.abort());
    await page.clock.install();
    await beginByPhone(page, example().origin, AMAL);
    await page.locator('.number').waitFor();
    await decideOnPhoneOf(example(), AMAL);
    const who = page.getByTestId('who');
    const look = async () => {
      await page.clock.runFor(1000);
      return who.isVisible();
    };
    await expect.poll(() => look().catch(() => false)).toBe(true);
  });

  it('ends with its page', async () => {
    await using tab = await take();
    const { page } = tab;
    const waiting = () => expect.poll(() => example().inside?.waiting());
    await beginByPhone(page, example().origin, AMAL);
    await waiting().toBe(1);
    await page.goto(example().origin);
    await waiting().toBe(0);
  });
});

const EVERY_LOOK = (['light', 'dark'] as const).flatMap((colorScheme) =>
  [360, 1280].map((width) => ({ colorScheme, width })),
);
/** Each colour scheme once, and each width once. */
const LOOKS = atLength(
  EVERY_LOOK,
  EVERY_LOOK.filter(({ colorScheme, width }) => (colorScheme === 'light') === (width === 360)),
);

async function faultsOf(page: Page): Promise<string[]> {
  const faults: string[] = [];
  for (const { colorScheme, width } of LOOKS) {
    await page.setViewportSize({ width, height: 740 });
    if (await page.evaluate('document.documentElement.scrollWidth > window.innerWidth')) {
      faults.push(`scrolls at ${width}`);
    }
    const found = await axeFaultsIn(colorScheme, page);
    faults.push(...found.map((fault) => `${colorScheme} ${width}: ${fault}`));
  }
  return faults;
}

describe.each(atLength(['ar', 'en'], ['ar']))('the pages of the example in %s', (lang) => {
  const example = shareWebExample(WEB_MODES[0][1]);

  it('are accessible and fit, light and dark', async () => {
    await using tab = await take();
    const { page } = tab;
    await page.goto(`${example().origin}/?lang=${lang}`);
    const html = page.locator('html');
    expect(await html.getAttribute('dir')).toBe(lang === 'ar' ? 'rtl' : 'ltr');
    expect(await faultsOf(page)).toEqual([]);
    await page.goto(`${example().origin}/?ended=dropped`);
    expect(await html.getAttribute('lang')).toBe(lang);
    expect(await faultsOf(page)).toEqual([]);
    await beginByPhone(page, example().origin, AMAL);
    await page.locator('miftah-wait [part=digits]').waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await decideOnPhoneOf(example(), AMAL);
    await page.getByTestId('who').waitFor();
    expect(await faultsOf(page)).toEqual([]);
    expect(tab.complaints).toEqual([]);
  });
});
