import { dashboardPage, endedPage } from '@miftah/pages';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchChromium } from '../../../scripts/browser.ts';
import { tabInTurn } from '../../../scripts/shared-tab.ts';
import { shareListeningService } from '../support/service/listening-service.ts';
import { ScriptedEvents } from '../support/element/scripted-events.ts';
import { EVENTS, openWait, type Waiting } from '../support/element/waiting-page.ts';

/** The properties of `<miftah-wait>`, and what it makes of what it is given. */

const MARKUP = `<img src=x onerror="globalThis.hit = 1"><b>x</b>`;
const FOUND = "document.querySelector('miftah-wait').shadowRoot.querySelectorAll('img, b').length";
const ELEMENT = "const wait = document.querySelector('miftah-wait');";
const LATER = `
const wait = document.createElement('miftah-wait');
Object.assign(wait, { random: '000042', locale: 'ar', eventsUrl: '${EVENTS}' });
wait.expiresAt = new Date(Date.now() + 200_000);
document.querySelector('miftah-wait').replaceWith(wait);`;

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(async () => browser.close());
const take = tabInTurn(() => browser);

async function openWaiting(waiting: Partial<Waiting> = {}) {
  const events = new ScriptedEvents();
  const attributes = { random: '007042' };
  const wait = await openWait({ browser, take, events: events.route, attributes, ...waiting });
  await expect.poll(wait.state).toBe('waiting');
  const run = <Result>(code: string) => wait.page.evaluate<Result>(`{ ${ELEMENT} ${code} }`);
  return { ...wait, events, run };
}

/** A page whose script has not come yet. */
async function openUndefined() {
  const { route } = new ScriptedEvents();
  return openWait({ browser, take, events: route, isDefined: false });
}

function approvedPage(locale: 'ar' | 'en'): string {
  const attempt = { attemptId: 'an-attempt', completionCode: 'a-code' };
  return dashboardPage({ locale, baseUrl: 'http://service.test/api/v1', ...attempt }).html;
}

describe('the properties', () => {
  test('C-19 keep the zeros of the number, and refuse a number', async () => {
    const wait = await openWaiting({ attributes: { random: '000000' } });
    expect(await wait.text('digits')).toBe('000000');
    expect(await wait.run('wait.random')).toBe('000000');
    await expect(wait.run('wait.random = 42')).rejects.toThrow('random is text');
  });

  test('are reflected by attributes', async () => {
    const wait = await openWaiting();
    await wait.run(
      "wait.random = '123456'; wait.expiresAt = new Date(0); wait.eventsUrl = '/other'; wait.locale = 'ar-SA'",
    );
    expect(await wait.run('wait.outerHTML')).toBe(
      '<miftah-wait events-url="/other" random="123456" expires-at="1970-01-01T00:00:00.000Z" locale="ar-SA"></miftah-wait>',
    );
    await wait.run('wait.expiresAt = null');
    expect(await wait.run('wait.expiresAt')).toBeNull();
    await wait.run("wait.expiresAt = 'tomorrow'");
    expect(await wait.run('wait.expiresAt')).toBeNull();
    expect(await wait.text('time')).toBe('');
  });

  test('that are set in one task are one other sign-in', async () => {
    const wait = await openWaiting();
    wait.events.tell({ status: 'rejected', message: null });
    await expect.poll(wait.state).toBe('rejected');
    await wait.run(`wait.random = '111111'; wait.expiresAt = new Date(Date.now() + 200_000)`);
    await expect.poll(wait.state).toBe('waiting');
    expect(await wait.text('digits')).toBe('111111');
    expect(wait.server.asked.filter((path) => path === EVENTS)).toHaveLength(2);
    wait.events.tell({ status: 'authenticated', message: null });
    await expect.poll(wait.state).toBe('authenticated');
    expect(await wait.heard()).toHaveLength(2);
  });

  test('count when they were set before the element was defined', async () => {
    const wait = await openUndefined();
    await wait.page.evaluate(LATER);
    await wait.page.evaluate("import('/element.js')");
    await expect.poll(wait.state).toBe('waiting');
    expect(await wait.text('digits')).toBe('000042');
    expect(await wait.text('label')).toBe('الرقم المعروض للمطابقة');
    expect(await wait.text('time')).toMatch(/^3:\d\d$/);
  });

  test('choose the language: the locale, or else that of the place', async () => {
    const wait = await openWaiting({ language: 'ar' });
    expect(await wait.text('left')).toBe('');
    expect(await wait.text('hint')).toBe('اختر هذا الرقم هناك.');
    await wait.run("wait.locale = 'en'");
    expect(await wait.text('hint')).toBe('Choose this number there.');
    await wait.run("wait.locale = 'fr'");
    expect(await wait.text('hint')).toBe('Choose this number there.');
    expect(wait.server.asked.filter((path) => path === EVENTS)).toHaveLength(1);
  });
});

describe('C-22 what comes from outside', () => {
  test('never becomes markup: the number, a status, a message, a code', async () => {
    const wait = await openWaiting({ attributes: { random: MARKUP } });
    expect(await wait.text('digits')).toBe(MARKUP);
    wait.events.tell({ status: `"><script>${MARKUP}`, message: MARKUP });
    await expect.poll(wait.state).toBe('failed');
    await wait.run("wait.random = '1'");
    await expect.poll(wait.state).toBe('waiting');
    wait.events.tell({ code: MARKUP, detail: MARKUP });
    await expect.poll(wait.state).toBe('failed');
    expect(await wait.page.evaluate(FOUND)).toBe(0);
    expect(await wait.page.evaluate('globalThis.hit')).toBeUndefined();
    expect(await wait.text('panel')).not.toContain('<');
    expect(wait.complaints).toEqual([]);
  });
});

describe('the look', () => {
  test('is changed by custom properties and parts, and follows the page', async () => {
    const css = `
miftah-wait { color-scheme: dark; --miftah-accent: rgb(1, 2, 3); font-family: monospace }
miftah-wait::part(panel) { border-width: 5px }
miftah-wait:state(waiting)::part(label) { color: rgb(4, 5, 6) }`;
    const wait = await openWaiting({ css });
    const style = (part: string, name: string) =>
      wait.page
        .locator(`miftah-wait [part=${part}]`)
        .evaluate(
          (element, property) => getComputedStyle(element).getPropertyValue(property),
          name,
        );
    expect(await style('icon', 'stroke')).toBe('rgb(1, 2, 3)');
    expect(await style('panel', 'border-top-width')).toBe('5px');
    expect(await style('label', 'color')).toBe('rgb(4, 5, 6)');
    expect(await style('text', 'font-family')).toBe('monospace');
    expect(await style('panel', 'background-color')).toBe('rgb(29, 31, 57)');
  });

  test('is there before the back end answers', async () => {
    const events = new ScriptedEvents();
    events.tellsAtOnce = false;
    const wait = await openWait({
      browser,
      take,
      events: events.route,
      attributes: { random: '007042' },
    });
    await expect.poll(wait.state).toBe('connecting');
    expect(await wait.text('digits')).toBe('007042');
    const height = () => wait.page.locator('miftah-wait').evaluate((one) => one.clientHeight);
    const before = await height();
    events.tell({ status: 'pending' });
    await expect.poll(wait.state).toBe('waiting');
    // One line more, for what to do with the number.
    expect((await height()) - before).toBeLessThan(30);
  });
});

describe('the words', () => {
  const service = shareListeningService();

  test.each(['ar', 'en'] as const)("are those of the service's pages, in %s", async (locale) => {
    const wait = await openWaiting({ attributes: { random: '007042', locale } });
    const home = await (await fetch(`${service().origin}/?locale=${locale}`)).text();
    expect(home).toContain(await wait.text('label'));
    for (const kind of ['rejected', 'expired', 'failed'] as const) {
      wait.events.tell({ status: kind, message: null });
      await expect.poll(wait.state).toBe(kind);
      const { html } = endedPage({ locale, kind });
      expect(html).toContain((await wait.text('text')).replace(/\.$/, ''));
      await wait.run(`wait.random = '${kind}'`);
      await expect.poll(wait.state).toBe('waiting');
    }
    wait.events.tell({ status: 'authenticated', message: null });
    await expect.poll(wait.state).toBe('authenticated');
    expect(approvedPage(locale)).toContain((await wait.text('text')).replace(/\.$/, ''));
  });
});
