// What axe finds wrong in a page of the tests.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults, RunOptions } from 'axe-core';
import type { Page } from 'playwright-core';

/** 0.65 MB that travel to the browser; the unminified file is 1.5 MB. */
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

type Options = Pick<RunOptions, 'rules' | 'runOnly'>;

/** All other rules, which take most of the time, find the same in both colour schemes. */
const OF_COLOURS: Options = { runOnly: ['color-contrast', 'link-in-text-block'] };

/** Puts axe into every page that this tab opens from now on, at less cost than into each when it is asked. */
export const bringAxe = (page: Page) => page.addInitScript(AXE);

/**
 * Each fault as its rule and the first element that breaks it. axe is loaded once for each page, and
 * reports faults only, because loading and full reports take longer than the checks. Frames are not
 * looked into; the pages here have none.
 */
export async function axeFaults(page: Page, options: Options = {}): Promise<readonly string[]> {
  if (await page.evaluate('globalThis.axe === undefined')) await page.evaluate(AXE);
  const settings = JSON.stringify({ ...options, resultTypes: ['violations'] });
  const violations = await page.evaluate<AxeResults['violations']>(
    `axe.run(${settings}).then(({ violations }) => violations)`,
  );
  return violations.map(({ id, nodes }) => `${id} ${nodes[0]?.html ?? ''}`);
}

/** The faults of a page in light colours, or what it has wrong in dark ones alone. */
export async function axeFaultsIn(
  scheme: 'light' | 'dark',
  page: Page,
  options: Options = {},
): Promise<readonly string[]> {
  await page.emulateMedia({ colorScheme: scheme });
  return axeFaults(page, scheme === 'dark' ? OF_COLOURS : options);
}
