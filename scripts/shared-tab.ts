import type { Browser, BrowserContextOptions } from 'playwright-core';
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
