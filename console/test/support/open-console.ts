import type { Browser, BrowserContextOptions } from 'playwright-core';
import { openTab } from '../../../scripts/browser.ts';
import type { SimulatedApi } from './simulated-api.ts';

type Options = BrowserContextOptions & { readonly locale?: 'ar' | 'en'; readonly hash?: string };

/** A tab with the console, and every address that it asks for. */
export async function openConsole(browser: Browser, api: SimulatedApi, options: Options = {}) {
  const { locale = 'en', hash = '#/', ...context } = options;
  const tab = await openTab(browser, context);
  const requested: string[] = [];
  tab.page.on('request', (request) => requested.push(request.url()));
  await tab.page.goto(api.address(locale, hash));
  await tab.page.locator('[data-testid=connection][data-state=live]').waitFor();
  return { ...tab, requested };
}
