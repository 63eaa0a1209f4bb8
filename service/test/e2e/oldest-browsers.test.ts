import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { atLength } from '../../../scripts/test-length.ts';
import { testIds as consoleIds } from '../../../console/src/test-ids.ts';
import { launchChromium, openTab } from '../../../scripts/browser.ts';
import { NEWER, without } from '../support/browsers/older-browser.ts';
import { decideInBrowser, shareWebExample, WEB_MODES } from '../support/client/web-example.ts';

/**
 * Whole sign-ins with the element, the pages and the console in a Chromium from which everything is
 * taken away that the oldest browsers of docs/client.md may be without.
 */

const AMAL = '1000001101';

let browser: Browser;
beforeAll(async () => void (browser = await launchChromium()));
afterAll(async () => browser.close());

/** What the element asks for before it uses it. */
const ASKED_FOR = [
  'api.HTMLElement.attachInternals',
  'api.ElementInternals.states',
  'api.ShadowRoot.adoptedStyleSheets',
  'api.Document.adoptedStyleSheets',
  'api.CSSStyleSheet.replaceSync',
];

async function openWithout(keys: readonly string[]) {
  const tab = await openTab(browser);
  await tab.page.context().addInitScript(without(keys));
  return tab;
}

const isThere = (page: Page, source: string) => page.evaluate<boolean>(source);

it('what is newer is known, and is taken away', async () => {
  expect(NEWER).toEqual(
    expect.arrayContaining([
      ...ASKED_FOR,
      'api.AbortSignal.any_static',
      'api.URL.canParse_static',
      'javascript.builtins.Array.findLast',
      'javascript.builtins.Array.toSorted',
      'javascript.builtins.Promise.withResolvers',
    ]),
  );
  await using tab = await openWithout(NEWER);
  await tab.page.goto('about:blank');
  for (const source of [
    'AbortSignal.any',
    'URL.canParse',
    'Promise.withResolvers',
    '[].toSorted',
    '[].findLast',
    'document.adoptedStyleSheets',
    'document.body.attachInternals',
  ]) {
    expect([source, await isThere(tab.page, `${source} !== undefined`)]).toEqual([source, false]);
  }
});

const MODES = WEB_MODES.slice(0, atLength(2, 1));
const FIRST_MODE = MODES[0]?.[0];

describe.each(MODES)('in an oldest browser, in %s', (mode, open) => {
  const example = shareWebExample(open);

  async function signInByPhone(page: Page): Promise<void> {
    await page.goto(`${example().origin}/?lang=en`);
    await page.getByRole('textbox').fill(AMAL);
    await page.getByTestId('by-phone').click();
    const digits = page.locator('miftah-wait [part=digits]');
    await digits.waitFor();
    const phone = await page.context().newPage();
    await phone.goto(`${example().provider}/simulator/phone?locale=en`);
    await phone.getByTestId(`number-${await digits.textContent()}`).click();
    await page.getByTestId('who').waitFor();
    await phone.close();
  }

  it('a person signs in by phone, on the page of the phone', async () => {
    await using tab = await openWithout(NEWER);
    // What the page complains of says more than what was waited for in vain.
    await signInByPhone(tab.page).finally(() =>
      expect(tab.complaints.filter((one) => !one.includes('style-src'))).toEqual([]),
    );
  });

  // The element asks for these in each mode alike.
  it.each(mode === FIRST_MODE ? ASKED_FOR : [])(
    'a person signs in by phone without %s',
    async (key) => {
      await using tab = await openWithout([key]);
      await signInByPhone(tab.page);
    },
  );

  it('a person signs in by browser', async () => {
    await using tab = await openWithout(NEWER);
    await tab.page.goto(`${example().origin}/?lang=en`);
    await tab.page.getByTestId('by-browser').click();
    await decideInBrowser(tab.page);
    await tab.page.getByTestId('who').waitFor();
    expect(tab.complaints).toEqual([]);
  });

  it('the console shows the sign-in, and what it was made of', async () => {
    await using tab = await openWithout(NEWER);
    await signInByPhone(tab.page);
    await tab.page.goto(`${example().provider}/console?locale=en`);
    await tab.page.locator('.virtual > li a').first().click();
    await tab.page.getByTestId(consoleIds.attemptState).waitFor();
    await tab.page.locator('.entries > li').first().waitFor();
    expect(tab.complaints.filter((one) => !one.includes('style-src'))).toEqual([]);
  });
});
