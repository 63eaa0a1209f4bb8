import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { inArabicAtLeast } from '../../../scripts/test-length.ts';
import { axeFaultsIn } from '../../../scripts/axe.ts';
import { launchChromium, openTab } from '../../../scripts/browser.ts';
import { share } from '../support/at-end.ts';
import { EVERY_STATE, serveEveryState } from '../support/element/every-state.ts';
import { ScriptedEvents } from '../support/element/scripted-events.ts';
import { openWait } from '../support/element/waiting-page.ts';

const MINUTE_MS = 60_000;
const OFFLINE_LONG_MS = 10_000;
const WIDTHS = [320, 360, 1280];
const SCROLLS = 'document.documentElement.scrollWidth > window.innerWidth';
const ARABIC_DIGITS = /[\u0660-\u0669\u06f0-\u06f9]/u;

const states = share(async (atEnd) => {
  const server = await serveEveryState();
  atEnd(async () => server[Symbol.asyncDispose]());
  return server;
});
let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(async () => browser.close());

/** One tab for the tests of a language, on the page of all states, when each has been reached. */
function shareEveryState(language: string) {
  return share(async (atEnd) => {
    const tab = await openTab(browser);
    atEnd(() => tab[Symbol.asyncDispose]());
    await tab.page.clock.install();
    await tab.page.goto(`${states().origin}/${language}`);
    await tab.page.evaluate('document.fonts.ready');
    await insideOf(tab.page, 'offline', 'text').filter({ hasText: /\p{L}/u }).waitFor();
    await tab.page.clock.fastForward(OFFLINE_LONG_MS);
    await tab.page.locator('#offline').getByRole('button').waitFor();
    return tab;
  });
}

const insideOf = (page: Page, name: string, part: string) =>
  page.locator(`#${name} [part=${part}]`);

const arabic = shareEveryState('ar');
const english = shareEveryState('en');

describe.each(
  inArabicAtLeast([
    ['ar', 'rtl', arabic],
    ['en', 'ltr', english],
  ] as const),
)('C-23 every state in %s', (language, direction, all) => {
  test('is accessible and fits, light and dark', async () => {
    const { page, complaints } = all();
    for (const scheme of ['light', 'dark'] as const) {
      expect(await axeFaultsIn(scheme, page)).toEqual([]);
    }
    const shown = await page
      .locator('miftah-wait')
      .evaluateAll((elements) =>
        elements.map((element) => (element as HTMLElementTagNameMap['miftah-wait']).state),
      );
    expect(new Set(shown)).toEqual(
      new Set(['waiting', 'offline', 'authenticated', 'rejected', 'expired', 'failed']),
    );
    expect(shown).toHaveLength(EVERY_STATE.length);
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 740 });
      expect(await page.evaluate(SCROLLS)).toBe(false);
    }
    // The address that brings it offline answers 503.
    expect(complaints.filter((text) => !text.includes('503'))).toEqual([]);
  });

  test('has its direction, its language, and the digits of the pages', async () => {
    const { page } = all();
    const panel = insideOf(page, 'waiting', 'panel');
    expect(await panel.getAttribute('dir')).toBe(direction);
    expect(await panel.getAttribute('lang')).toBe(language);
    const text = await page
      .locator('miftah-wait')
      .evaluateAll((elements) =>
        elements.map((element) => element.shadowRoot?.textContent).join(' '),
      );
    expect(text).not.toMatch(ARABIC_DIGITS);
    // The number is at the side where the language begins, and its digits are in their order.
    const { x = 0, width = 0 } = (await insideOf(page, 'waiting', 'digits').boundingBox()) ?? {};
    const frame = await panel.boundingBox();
    const middle = (frame?.x ?? 0) + (frame?.width ?? 0) / 2;
    expect(x + width / 2 > middle).toBe(direction === 'rtl');
  });
});

describe('C-23 who hears the page', () => {
  test('is told the number digit by digit and each change, and not the time', async () => {
    const events = new ScriptedEvents();
    const expires = new Date(Date.now() + 3 * MINUTE_MS).toISOString();
    const attributes = { random: '007042', 'expires-at': expires };
    const wait = await openWait({ browser, events: events.route, attributes, movesClock: true });
    await expect.poll(wait.state).toBe('waiting');
    await wait.page.evaluate(LISTEN_TO_CHANGES);
    // Of the page and of the server: a stream that begins anew sets the page by the server's.
    const pass = (ms: number) => {
      const { now } = events;
      events.now = () => now() + ms;
      return wait.page.clock.fastForward(ms);
    };
    const time = await wait.text('time');
    await pass(2_000);
    await expect.poll(() => wait.text('time')).not.toBe(time);
    expect(await wait.page.evaluate('globalThis.said')).toEqual([]);

    await pass(2 * MINUTE_MS);
    await expect.poll(() => wait.text('hint')).toContain('Less than a minute is left.');
    const late = await wait.text('time');
    await pass(2_000);
    await expect.poll(() => wait.text('time')).not.toBe(late);
    // The minutes that have gone may have ended the stream, and an event is not told to the next one.
    const refuse = () => {
      events.tell({ status: 'rejected', message: null });
      return wait.state();
    };
    await expect.poll(refuse).toBe('rejected');
    expect(await wait.page.evaluate('globalThis.said')).toEqual([
      'Number to match 0 0 7 0 4 2 A push has been sent to the phone. Choose this number there. Less than a minute is left.',
      'The request was refused. Nobody was signed in.',
    ]);
  });

  test('has one polite region that is read as a whole, and a timer outside of it', async () => {
    const { page } = english();
    const region = page.locator('#waiting').getByRole('status');
    expect(await region.getAttribute('aria-atomic')).toBe('true');
    expect(await region.getByRole('timer').count()).toBe(0);
    expect(await page.locator('#waiting').getByRole('timer').textContent()).toMatch(/^\d:\d\d$/);
  });
});

/** Keeps what the live region has after each change, as it is read: without what is hidden. */
const LISTEN_TO_CHANGES = `
globalThis.said = [];
const region = document.querySelector('miftah-wait').shadowRoot.querySelector('[role=status]');
const read = (node) => node.nodeType === 3 ? node.data
  : node.getAttribute('aria-hidden') === 'true' || node.hidden ? ''
  : [...node.childNodes].map(read).join(' ');
new MutationObserver(() => {
  const text = read(region).replace(/\\s+/g, ' ').trim();
  if (text !== globalThis.said.at(-1)) globalThis.said.push(text);
}).observe(region, { subtree: true, childList: true, characterData: true });`;

const animation = (page: Page) =>
  insideOf(page, 'waiting', 'icon').evaluate((icon) => getComputedStyle(icon).animationName);

describe('the preferences of the person', () => {
  test('nothing moves where motion is reduced', async () => {
    const { page } = english();
    expect(await animation(page)).toBe('none');
    await page.emulateMedia({ reducedMotion: 'no-preference' });
    expect(await animation(page)).toBe('breathe');
    await page.emulateMedia({ reducedMotion: 'reduce' });
  });

  test('the bar stays visible in forced colours', async () => {
    const { page } = english();
    await page.emulateMedia({ forcedColors: 'active' });
    const [bar, rest, panel] = await Promise.all(
      ['bar', 'rest', 'panel'].map((part) =>
        insideOf(page, 'waiting', part).evaluate((element) => {
          const { borderTopWidth, backgroundColor } = getComputedStyle(element);
          return { borderTopWidth, backgroundColor };
        }),
      ),
    );
    expect(bar?.borderTopWidth).toBe('1px');
    expect(rest?.backgroundColor).not.toBe(panel?.backgroundColor);
  });
});
