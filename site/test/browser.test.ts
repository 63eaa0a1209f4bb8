import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { axeFaultsIn } from '../../scripts/axe.ts';
import { launchChromium, openTab } from '../../scripts/browser.ts';
import { hasSitePackages } from '../../scripts/site.mjs';
import { serveSite } from '../serve.ts';
import { BUILD_MS, builtSite } from './support/built-site.ts';

/** The site as readers see it, below a path, as on hosts that many projects share. */

/** On a busy machine axe takes ten seconds for a long page. */
const AXE_MS = 300_000;
const NARROWEST = 320;
const WIDEST = 1280;

const isReady = hasSitePackages();

let browser: Browser;
let server: Awaited<ReturnType<typeof serveSite>>;
beforeAll(async () => {
  if (!isReady) return;
  const site = await builtSite();
  server = await serveSite(site, 0);
  browser = await launchChromium();
}, BUILD_MS);
afterAll(async () => {
  if (!isReady) return;
  await browser.close();
  await server[Symbol.asyncDispose]();
});

/** A tab, and all requests of its page that went anywhere but to the site. */
async function open(path: string, options: BrowserContextOptions = {}) {
  const tab = await openTab(browser, { colorScheme: 'light', ...options });
  const foreign: string[] = [];
  tab.page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(server.url) && !url.startsWith('data:')) foreign.push(url);
  });
  await tab.page.goto(`${server.url}${path}`, { waitUntil: 'networkidle' });
  return { ...tab, foreign };
}

async function scrollsSideways(page: Page, width: number): Promise<boolean> {
  await page.setViewportSize({ width, height: 740 });
  return page.evaluate('document.documentElement.scrollWidth > window.innerWidth');
}

/**
 * Resolves when each code block that scrolls can be reached by the keyboard: the site's script sees to
 * it when the browser has nothing else to do.
 */
const reachable = (page: Page) =>
  page.waitForFunction(
    `[...document.querySelectorAll('pre')].every((block) => block.scrollWidth <= block.clientWidth || block.tabIndex === 0)`,
  );

/**
 * Left out: a code block that scrolls is a region without a name of its own (Expressive Code), and
 * some tables of the documents have no heading above their first column.
 */
const RULES = {
  'landmark-unique': { enabled: false },
  'empty-table-header': { enabled: false },
};

const PAGES = ['', 'quick-start/', 'events/', 'performance/'];
const PLACES = (['ar', 'en'] as const).flatMap((language) =>
  PAGES.map((page) => [`${language}/${page}`, language] as const),
);

describe('a page of the site', () => {
  it.each(PLACES)(
    '%s asks nobody else, and is accessible and fits',
    async (path, language) => {
      if (!isReady) return;
      await using tab = await open(path);
      const { page } = tab;
      const html = page.locator('html');
      expect(await html.getAttribute('lang')).toBe(language);
      expect(await html.getAttribute('dir')).toBe(language === 'ar' ? 'rtl' : 'ltr');

      await reachable(page);
      const faults: string[] = [];
      for (const width of [NARROWEST, WIDEST]) {
        if (await scrollsSideways(page, width)) faults.push(`scrolls at ${width}`);
      }
      for (const scheme of ['light', 'dark'] as const) {
        faults.push(...(await axeFaultsIn(scheme, page, { rules: RULES })));
      }
      expect([...faults, ...tab.complaints, ...tab.foreign]).toEqual([]);
    },
    AXE_MS,
  );

  it('has its own fonts', async () => {
    if (!isReady) return;
    await using tab = await open('ar/introduction/');
    const loaded = await tab.page.evaluate<readonly string[]>(
      `document.fonts.ready.then(() => [...document.fonts].filter((font) => font.status === 'loaded').map((font) => font.family))`,
    );
    expect(loaded.join()).toContain('IBM Plex Sans Arabic');
  });
});

describe('an English page among the Arabic ones', () => {
  it('says so in Arabic, and its text is English from left to right', async () => {
    if (!isReady) return;
    await using tab = await open('ar/api/');
    const main = tab.page.locator('main');
    expect(await main.getAttribute('lang')).toBe('en');
    expect(await main.getAttribute('dir')).toBe('ltr');
    const notice = tab.page.locator('[lang="ar"][dir="rtl"] >> text=بالإنجليزية فقط');
    expect(await notice.count()).toBeGreaterThan(0);
    expect(tab.complaints).toEqual([]);
  });
});

describe('code in an Arabic page', () => {
  it('is read from left to right, and shows its beginning', async () => {
    if (!isReady) return;
    await using tab = await open('ar/quick-start/', { viewport: { width: 360, height: 740 } });
    const blocks = await tab.page.evaluate<readonly { direction: string; left: number }[]>(
      `[...document.querySelectorAll('pre')].map((block) => ({ direction: getComputedStyle(block).direction, left: block.scrollLeft }))`,
    );
    expect(blocks.length).toBeGreaterThan(3);
    for (const block of blocks) expect(block).toEqual({ direction: 'ltr', left: 0 });
  });
});

describe('the reader', () => {
  it('comes from the first page of the host to the Arabic one', async () => {
    if (!isReady) return;
    await using tab = await open('');
    await tab.page.waitForURL(`${server.url}ar/`);
    expect(tab.complaints).toEqual([]);
  });

  it('changes the language and stays on the page', async () => {
    if (!isReady) return;
    await using tab = await open('ar/quick-start/');
    await tab.page
      .locator('starlight-lang-select select')
      .first()
      .selectOption({ label: 'English' });
    await tab.page.waitForURL(`${server.url}en/quick-start/`);
    expect(tab.complaints).toEqual([]);
  });

  it('reaches the text by the keyboard first, and a wide table scrolls by it', async () => {
    if (!isReady) return;
    await using tab = await open('en/api/', { viewport: { width: 360, height: 740 } });
    const { page } = tab;
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.getAttribute("href")')).toBe('#_top');
    const box = page.locator('.table-box').first();
    await box.focus();
    const pressed = async () => {
      await page.keyboard.press('ArrowRight');
      return box.evaluate((element) => element.scrollLeft);
    };
    await expect.poll(pressed).toBeGreaterThan(0);
  });

  it.each([
    ['ar', 'محاولة', 'ar/introduction/'],
    ['en', 'redemption', 'en/decisions/'],
  ])('searches in %s', async (language, word, found) => {
    if (!isReady) return;
    await using tab = await open(`${language}/`);
    const { page } = tab;
    const input = page.locator('#starlight__search input');
    // Pressed before the site's script listens, it is lost.
    const opened = async () => {
      if (!(await input.isVisible())) await page.keyboard.press('Control+k');
      return input.isVisible();
    };
    await expect.poll(opened, { interval: 1000 }).toBe(true);
    await input.fill(word);
    const results = page.locator('#starlight__search .pagefind-ui__result-link');
    await results.first().waitFor();
    const links = await results.evaluateAll((all) => all.map((link) => link.getAttribute('href')));
    expect(links.some((link) => link?.startsWith(`${new URL(server.url).pathname}${found}`))).toBe(
      true,
    );
    expect([...tab.complaints, ...tab.foreign]).toEqual([]);
  });
});
