import type { Browser, Page as Tab } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { atLength, isLong } from '../../scripts/test-length.ts';
import { axeFaultsIn, bringAxe } from '../../scripts/axe.ts';
import { launchChromium } from '../../scripts/browser.ts';
import { misplacedCodes } from '../../scripts/reading-order.ts';
import { sharedTab } from '../../scripts/shared-tab.ts';
import type { Locale } from '../src/index.ts';
import { servePages, type PageServer } from './support/page-server.ts';
import { everyPage } from './support/samples.ts';

const WIDTHS = [360, 1280];
/** The narrowest screen width that WCAG requires pages to support. */
const NARROWEST = 320;
/** Where lines break. */
const BREAKING = atLength([NARROWEST, 360, 412, 1280], [NARROWEST, 412]);

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(async () => {
  await browser.close();
});

const everyLook = (['light', 'dark'] as const).flatMap((scheme) =>
  WIDTHS.map((width) => ({ scheme, width })),
);
/** Each colour scheme once, and each width once. */
const looks = atLength(
  everyLook,
  everyLook.filter(({ scheme, width }) => (scheme === 'light') === (width === WIDTHS[0])),
);

/** In `npm test` axe looks at all pages in Arabic, and in English at those that have most in them. */
const IN_ENGLISH = new Set(['sign-in', 'home', 'operator-user']);
const isTried = (locale: Locale, name: string) => isLong || locale === 'ar' || IN_ENGLISH.has(name);

// One small test per page, so that no test is too slow on a busy machine.
describe.each(['ar', 'en'] satisfies Locale[])('in %s', (locale) => {
  const pages = everyPage(locale);
  // With motion, colours could be measured in the middle of a transition.
  const sharing = sharedTab(() => browser);
  beforeAll(async () => {
    if (Object.keys(pages).every((name) => isTried(locale, name))) await bringAxe(sharing().page);
  });
  // One for all, so that the browser has their fonts and styles already.
  let server: PageServer;
  beforeAll(async () => void (server = await servePages(pages)));
  afterAll(async () => server[Symbol.asyncDispose]());

  it.for(Object.keys(pages))('%s is accessible and fits, light and dark', async (name) => {
    const tab = sharing();
    await tab.page.goto(`${server.origin}/${name}`);

    const faults: string[] = [];
    const byAxe = isTried(locale, name);
    for (const look of looks) faults.push(...(await faultsIn(tab.page, byAxe, look)));
    if (await scrollsSideways(tab.page, NARROWEST)) faults.push(`scrolls at ${NARROWEST}`);
    if (locale === 'ar') faults.push(...(await misplacedIn(tab.page)));

    expect([...faults, ...tab.complaints]).toEqual([]);
  });
});

describe('codes and addresses in Arabic pages', () => {
  const sharing = sharedTab(() => browser);

  it('would be found out of order without isolation', async () => {
    const tab = sharing();
    await tab.page.setContent('<p dir="rtl">تقع الواجهة تحت /api/v1 من العنوان.</p>');

    expect(await misplacedCodes(tab.page)).toEqual(['/api/v1']);
  });
});

type Look = (typeof looks)[number];

async function faultsIn(page: Tab, byAxe: boolean, { scheme, width }: Look): Promise<string[]> {
  const sideways = await scrollsSideways(page, width);
  const found = byAxe ? await axeFaultsIn(scheme, page) : [];
  const faults = [...(sideways ? ['scrolls'] : []), ...found];
  return faults.map((fault) => `${scheme} ${width}: ${fault}`);
}

async function scrollsSideways(page: Tab, width: number): Promise<boolean> {
  await page.setViewportSize({ width, height: 740 });
  return page.evaluate('document.documentElement.scrollWidth > window.innerWidth');
}

/** The codes and addresses that do not stand in order, or leave a lone sign on a line. */
async function misplacedIn(page: Tab): Promise<string[]> {
  await page.evaluate('document.fonts.ready');
  const faults: string[] = [];
  for (const width of BREAKING) {
    await page.setViewportSize({ width, height: 740 });
    for (const code of await misplacedCodes(page)) faults.push(`${code} at ${width}`);
  }
  return faults;
}
