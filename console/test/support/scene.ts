import type { Browser, ViewportSize } from 'playwright-core';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { launchChromium, openTab } from '../../../scripts/browser.ts';
import { tabInTurn } from '../../../scripts/shared-tab.ts';
import { openConsole } from './open-console.ts';
import { SimulatedApi } from './simulated-api.ts';

type Options = Parameters<typeof openConsole>[2] & { readonly viewport?: ViewportSize };

/**
 * One Chromium, one tab and one API for the tests of a file: the tab and the API are empty for each.
 * @param prepare gives the API what it answers in every test
 */
export function sceneForTests(prepare: (api: SimulatedApi) => void = () => undefined) {
  const api = new SimulatedApi();
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium();
    await api.start();
  });
  afterAll(async () => {
    await browser.close();
    await api.stop();
  });
  const take = tabInTurn(() => browser);
  beforeEach(() => {
    api.forget();
    prepare(api);
  });
  return {
    api,
    open: async ({ viewport, ...options }: Options = {}) =>
      openConsole(await take(viewport), api, options),
    /** For a test that moves the clock of the page. */
    openAlone: async () => openConsole(await openTab(browser), api),
  };
}
