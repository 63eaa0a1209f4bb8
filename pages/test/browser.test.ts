import { AxeBuilder } from '@axe-core/playwright';
import type { Browser, Page as Tab } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signInPage, testIds, type Locale } from '../src/index.ts';
import { launchChromium } from './support/chromium.ts';
import { servePages } from './support/page-server.ts';
import { payloads } from './support/payloads.ts';
import { everyPage, people, signInSample } from './support/samples.ts';

const WIDTHS = [360, 1280];
/** The narrowest screen that WCAG asks pages to fit. */
const NARROWEST = 320;

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(async () => {
  await browser.close();
});

const RUN_AXE = `axe.run({ resultTypes: ['violations'] })`;
type AxeResults = Awaited<ReturnType<AxeBuilder['analyze']>>;

const looks = (['light', 'dark'] as const).flatMap((scheme) =>
  WIDTHS.map((width) => ({ scheme, width })),
);

// One small test for each page, so that a busy machine slows them and fails none.
describe.concurrent.each(['ar', 'en'] satisfies Locale[])('in %s', (locale) => {
  const pages = everyPage(locale);

  it.for(Object.keys(pages))('%s is accessible and fits, light and dark', async (name) => {
    await using server = await servePages(pages);
    // Without motion no colour is caught half-way between two schemes.
    await using tab = await openTab({ reducedMotion: 'reduce' });
    await tab.page.goto(`${server.origin}/${name}`);

    const faults: string[] = [];
    await bringAxe(tab.page);
    for (const look of looks) faults.push(...(await faultsIn(tab.page, look)));
    if (await scrollsSideways(tab.page, NARROWEST)) faults.push(`scrolls at ${NARROWEST}`);

    expect([...faults, ...tab.complaints]).toEqual([]);
  });
});

describe('the sign-in page', () => {
  it.each(['ar', 'en'] satisfies Locale[])(
    'is completed by keyboard alone in %s',
    async (locale) => {
      await using server = await servePages(everyPage(locale));
      await using tab = await openTab({});
      await tab.page.goto(`${server.origin}/sign-in`);

      await tab.page.keyboard.press('Tab'); // the language link
      await tab.page.keyboard.press('Tab'); // the chosen person
      await tab.page.keyboard.press('ArrowDown');
      await tab.page.keyboard.press('ArrowDown');
      await tab.page.keyboard.press('Tab'); // approve
      expect(await tab.page.evaluate('document.activeElement.dataset.testid')).toBe(
        testIds.approve,
      );
      await tab.page.keyboard.press('Enter');
      await tab.page.waitForURL('**/dashboard');

      const { attemptId } = signInSample(locale);
      expect(server.posted).toEqual([
        {
          contentType: 'application/x-www-form-urlencoded',
          // What a browser says under `Referrer-Policy: no-referrer`, on its own origin too.
          origin: 'null',
          fields: { state: attemptId, person: people[2]?.id, decision: 'approve' },
        },
      ]);
      expect(tab.complaints).toEqual([]);
    },
  );

  it('keeps the focused person clear of the decision bar', async () => {
    await using server = await servePages(everyPage('ar'));
    await using tab = await openTab({ viewport: { width: 360, height: 640 } });
    await tab.page.goto(`${server.origin}/sign-in`);
    await tab.page.getByTestId(testIds.person('noura')).focus();

    for (const next of people.slice(1)) {
      await tab.page.keyboard.press('ArrowDown');
      const radio = await tab.page.getByTestId(testIds.person(next.id)).boundingBox();
      const bar = await tab.page.locator('.decisions').boundingBox();
      expect((radio?.y ?? 0) + (radio?.height ?? 0)).toBeLessThanOrEqual(bar?.y ?? 0);
    }
  });

  it('needs a person for an approval, and none for a refusal', async () => {
    const nobody = people.map((person) => Object.assign({}, person, { default: false }));
    const page = signInPage({ ...signInSample('en'), people: nobody });
    await using server = await servePages({ ...everyPage('en'), 'sign-in': page });
    await using tab = await openTab({});
    await tab.page.goto(`${server.origin}/sign-in`);

    await tab.page.getByTestId(testIds.approve).click();
    expect(server.posted).toEqual([]);
    await tab.page.getByTestId(testIds.notMe).click();
    await tab.page.waitForURL('**/dashboard');

    expect(server.posted.map(({ fields }) => fields['decision'])).toEqual(['not_me']);
  });

  it('has targets of at least 44 pixels', async () => {
    await using server = await servePages(everyPage('ar'));
    await using tab = await openTab({ viewport: { width: NARROWEST, height: 640 } });
    await tab.page.goto(`${server.origin}/sign-in`);

    for (const target of await tab.page.locator('button, label, header a').all()) {
      const box = await target.boundingBox();
      expect(Math.min(box?.width ?? 0, box?.height ?? 0)).toBeGreaterThanOrEqual(44);
    }
  });
});

/** How many headings there are, how many elements that no page has, and what a payload left behind. */
const PROBE = `[
  document.querySelectorAll('h1').length,
  document.querySelectorAll('script, iframe, img, base, style, template, details').length,
  typeof window.broken,
]`;

describe('hostile texts', () => {
  it('run nothing in a browser', async () => {
    const hostile = payloads.map((payload) => signInPage(hostileSample(payload)));
    await using server = await servePages(
      Object.fromEntries(hostile.map((page, index) => [index, page])),
    );
    await using tab = await openTab({});

    for (const [index, payload] of payloads.entries()) {
      await tab.page.goto(`${server.origin}/${index}`);
      expect(await tab.page.evaluate(PROBE), payload).toEqual([1, 0, 'undefined']);
    }
    expect(tab.complaints).toEqual([]);
  });
});

describe('a page of another origin', () => {
  it('can not show the sign-in page in a frame', async () => {
    await using server = await servePages(everyPage('en'));
    await using tab = await openTab({});
    const refused = tab.page.waitForEvent('console', (message) =>
      message.text().includes('frame-ancestors'),
    );
    await tab.page.setContent(`<iframe src="${server.origin}/sign-in"></iframe>`);

    expect((await refused).type()).toBe('error');
    expect(await tab.page.frameLocator('iframe').getByTestId(testIds.approve).count()).toBe(0);
  });
});

function hostileSample(payload: string) {
  const person = { id: payload, arabicName: payload, englishName: payload, nationalId: payload };
  return {
    ...signInSample('ar'),
    attemptId: payload,
    service: payload,
    expiresAt: payload,
    notice: payload,
    people: [{ ...person, kind: 'citizen', default: true } as const],
  };
}

/** A tab of its own, which collects all that the browser complains about. */
async function openTab(options: Parameters<Browser['newContext']>[0]) {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => complaints.push(`${page.url()}: ${message.text()}`));
  page.on('pageerror', (error) => complaints.push(`${page.url()}: ${error.message}`));
  page.on('dialog', (dialog) => complaints.push(`${page.url()}: a dialog ${dialog.message()}`));
  page.on('response', (response) => {
    if (response.status() >= 400) complaints.push(`${response.url()}: ${response.status()}`);
  });
  const close = async () => context.close();
  return { page, complaints, [Symbol.asyncDispose]: close };
}

async function faultsIn(page: Tab, { scheme, width }: (typeof looks)[number]): Promise<string[]> {
  await page.emulateMedia({ colorScheme: scheme });
  const sideways = await scrollsSideways(page, width);
  const { violations } = await page.evaluate<AxeResults>(RUN_AXE);
  return [
    ...(sideways ? [`scrolls at ${width}`] : []),
    ...violations.map(({ id, nodes }) => `${scheme} ${width}: ${id} ${nodes[0]?.html ?? ''}`),
  ];
}

/**
 * Leaves axe in the page, by way of its lightest look. To bring it takes far
 * longer than to run it, and every page is looked at several times.
 */
async function bringAxe(page: Tab): Promise<void> {
  await new AxeBuilder({ page }).setLegacyMode().withRules('document-title').analyze();
}

async function scrollsSideways(page: Tab, width: number): Promise<boolean> {
  await page.setViewportSize({ width, height: 740 });
  return page.evaluate('document.documentElement.scrollWidth > window.innerWidth');
}
