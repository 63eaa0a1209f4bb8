import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { launchChromium } from '../../../scripts/browser.ts';
import { openConsole } from './open-console.ts';
import { SimulatedApi } from './simulated-api.ts';

type Options = Parameters<typeof openConsole>[2];

/**
 * One Chromium for the tests of a file, and an API of its own for each of them.
 * @param prepare gives the API what it answers in every test
 */
export function sceneForTests(prepare: (api: SimulatedApi) => void = () => undefined) {
  let browser: Browser;
  let api: SimulatedApi;
  beforeAll(async () => void (browser = await launchChromium()));
  afterAll(async () => browser.close());
  beforeEach(async () => {
    api = new SimulatedApi();
    await api.start();
    prepare(api);
  });
  afterEach(async () => api.stop());
  return {
    get api() {
      return api;
    },
    open: (options?: Options) => openConsole(browser, api, options),
  };
}
