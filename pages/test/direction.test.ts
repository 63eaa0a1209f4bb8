import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { atLength } from '../../scripts/test-length.ts';
import { launchChromium } from '../../scripts/browser.ts';
import { misplacedCodes } from '../../scripts/reading-order.ts';
import { sharedTab } from '../../scripts/shared-tab.ts';
import { servePages, type PageServer } from './support/page-server.ts';
import { everyPage } from './support/samples.ts';

/** Where lines break. */
const WIDTHS = atLength([320, 360, 412, 1280], [320, 412]);

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(async () => {
  await browser.close();
});

describe('codes and addresses in Arabic pages', () => {
  const pages = everyPage('ar');
  const sharing = sharedTab(() => browser);
  let server: PageServer;
  beforeAll(async () => void (server = await servePages(pages)));
  afterAll(async () => server[Symbol.asyncDispose]());

  it.each(Object.keys(pages))('stand in order, and leave no lone sign: %s', async (name) => {
    const tab = sharing();
    await tab.page.goto(`${server.origin}/${name}`);
    await tab.page.evaluate('document.fonts.ready');

    for (const width of WIDTHS) {
      await tab.page.setViewportSize({ width, height: 800 });
      expect(await misplacedCodes(tab.page), `at ${width} pixels`).toEqual([]);
    }
  });

  it('would be found out of order without isolation', async () => {
    const tab = sharing();
    await tab.page.setContent('<p dir="rtl">تقع الواجهة تحت /api/v1 من العنوان.</p>');

    expect(await misplacedCodes(tab.page)).toEqual(['/api/v1']);
  });
});
