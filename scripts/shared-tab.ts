import type { Browser, BrowserContextOptions, Page, ViewportSize } from 'playwright-core';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { openTab } from './browser.ts';

type Tab = Awaited<ReturnType<typeof openTab>>;

/**
 * One tab for all tests of a group that look at pages without leaving a cookie or anything else in
 * the browser: a new context takes longer than most of these tests. Each test begins without
 * complaints.
 */
export function sharedTab(browser: () => Browser, options: BrowserContextOptions = {}): () => Tab {
  let tab: Tab;
  beforeAll(async () => {
    tab = await openTab(browser(), options);
  });
  beforeEach(() => void tab.complaints.splice(0));
  afterAll(async () => tab[Symbol.asyncDispose]());
  return () => tab;
}

const SIZE = { width: 1280, height: 720 };

/** What a page can keep in its tab for the next one of its origin. */
const FORGET = 'try { sessionStorage.clear(); localStorage.clear(); } catch {}';

/**
 * A tab for one test after another, which each finds empty: without routes, cookies, permissions and
 * storage of the one before. What is left is the cache, and the process of the pages, whose start
 * takes longer than most tests. Who asks while it is in use gets another one, which has a context of
 * its own and is kept in the same way.
 * A test that changes the clock or the scripts of its pages needs that too (`openTab`): such a change
 * can't be taken back.
 */
export function tabInTurn(browser: () => Browser): (size?: ViewportSize) => Promise<Tab> {
  const free: Tab[] = [];
  afterAll(async () => {
    for (const tab of free.splice(0)) await tab[Symbol.asyncDispose]();
  });
  return async (viewport = SIZE) => {
    const tab = free.pop() ?? (await openTab(browser()));
    const { page, complaints } = tab;
    await page.setViewportSize(viewport);
    complaints.splice(0);
    const leave = async () => {
      try {
        await empty(page);
        free.push(tab);
      } catch {
        // A page that goes elsewhere at this moment can't be emptied.
        await tab[Symbol.asyncDispose]();
      }
    };
    return { page, complaints, [Symbol.asyncDispose]: leave };
  };
}

async function empty(page: Page): Promise<void> {
  const context = page.context();
  page.removeAllListeners('request');
  const others = context.pages().filter((one) => one !== page);
  await Promise.all([page.unrouteAll(), ...others.map((one) => one.close())]);
  await page.evaluate(FORGET);
  await page.goto('about:blank');
  await Promise.all([
    context.clearCookies(),
    context.clearPermissions(),
    page.emulateMedia({ colorScheme: 'light' }),
    page.mouse.move(0, 0),
  ]);
}
