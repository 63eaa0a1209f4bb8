import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchChromium } from '../../../scripts/browser.ts';
import { OF_EVENTS, statusEvent } from '../support/element/scripted-events.ts';
import { asked, moving, openScriptedWait } from '../support/element/scripted-wait.ts';
import type { Waiting } from '../support/element/waiting-page.ts';

/** What `<miftah-wait>` has where it has no stream. Ten tabs of a browser are in e2e/many-tabs. */

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(async () => browser.close());

const openMoved = (waiting: Partial<Waiting> = {}) =>
  openScriptedWait({ browser, movesClock: true, ...waiting });

const turn = (state: 'hidden' | 'visible') =>
  `Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true });
   document.dispatchEvent(new Event('visibilitychange'))`;
const APPROVED = () =>
  new Response(statusEvent({ status: 'authenticated' }), { headers: OF_EVENTS });
const NO_LOCKS = "Object.defineProperty(Navigator.prototype, 'locks', { value: undefined })";
const NO_ORIGIN = "LockManager.prototype.request = () => Promise.reject(new Error('no origin'))";

describe('C-29 a poll', () => {
  test('is all that a hidden page has: every ten seconds, also to hear the end', async () => {
    const wait = await openMoved();
    await expect.poll(wait.state).toBe('waiting');
    const passed = async () => Number(await wait.page.evaluate('performance.now()'));
    const before = await passed();
    await wait.page.evaluate(turn('hidden'));
    await expect.poll(() => asked(wait)).toBe(2);
    await expect.poll(() => wait.events.open).toBe(0);
    expect(await wait.state()).toBe('waiting');
    wait.events.instead = APPROVED;
    await expect.poll(moving(wait, () => asked(wait))).toBe(3);
    expect((await passed()) - before).toBeGreaterThan(10_000);
    // The time that passes while an answer is under way is the page's own.
    await expect.poll(wait.state).toBe('authenticated');
    expect(asked(wait)).toBe(3);
  });

  test('becomes a stream when the page is seen', async () => {
    const wait = await openMoved({ before: turn('hidden') });
    await expect.poll(wait.state).toBe('waiting');
    await expect.poll(() => wait.events.open).toBe(0);
    await wait.page.evaluate(turn('visible'));
    await expect.poll(() => wait.events.open).toBe(1);
  });

  test.each([
    ['a page without locks', NO_LOCKS],
    ['one that may not use them', NO_ORIGIN],
  ])('is what %s has, every two seconds', async (_, before) => {
    const wait = await openMoved({ before });
    const states = new Set<string>();
    const look = moving(wait, async () => {
      states.add(await wait.state());
      return asked(wait);
    });
    await expect.poll(look).toBe(4);
    await expect.poll(() => wait.events.open).toBe(0);
    wait.events.instead = APPROVED;
    await expect.poll(moving(wait, wait.state)).toBe('authenticated');
    expect([...states]).not.toContain('offline');
  });
});
