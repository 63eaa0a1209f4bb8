import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { atLength } from '../../scripts/test-length.ts';
import { launchChromium, openTab } from '../../scripts/browser.ts';
import { tabInTurn } from '../../scripts/shared-tab.ts';
import { signInPage, testIds, type Locale, type SignInPage } from '../src/index.ts';
import { servePages } from './support/page-server.ts';
import { payloads } from './support/payloads.ts';
import { everyPage, handOverSample, people, signInSample } from './support/samples.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(async () => {
  await browser.close();
});

const take = tabInTurn(() => browser);

const FOCUSED = 'document.activeElement.dataset.testid';
const FORM_ENCODED = 'application/x-www-form-urlencoded';

describe('the sign-in page', () => {
  it.each<Locale>(atLength(['ar', 'en'], ['ar']))(
    'is completed by keyboard alone in %s',
    async (locale) => {
      await using server = await servePages(everyPage(locale));
      await using tab = await take();
      await tab.page.goto(`${server.origin}/sign-in`);

      // The language link, the chosen person, two people further down, the first button.
      for (const key of ['Tab', 'Tab', 'ArrowDown', 'ArrowDown', 'Tab']) {
        await tab.page.keyboard.press(key);
      }
      expect(await tab.page.evaluate(FOCUSED)).toBe(testIds.approve);
      await tab.page.keyboard.press('Enter');
      await tab.page.waitForURL('**/dashboard');

      const { attemptId } = signInSample(locale);
      const fields = { state: attemptId, person: people[2]?.id, decision: 'approve' };
      // Under `Referrer-Policy: no-referrer` a browser sends this origin, even to the page's own
      // origin.
      expect(server.posted).toEqual([{ contentType: FORM_ENCODED, origin: 'null', fields }]);
      expect(tab.complaints).toEqual([]);
    },
  );

  it('keeps the focused person clear of the decision bar', async () => {
    await using server = await servePages(everyPage('ar'));
    await using tab = await take({ width: 360, height: 640 });
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
    await using tab = await take();
    await tab.page.goto(`${server.origin}/sign-in`);

    await tab.page.getByTestId(testIds.approve).click();
    expect(server.posted).toEqual([]);
    await tab.page.getByTestId(testIds.notMe).click();
    await tab.page.waitForURL('**/dashboard');

    expect(server.posted.map(({ fields }) => fields['decision'])).toEqual(['not_me']);
  });

  it('moves nothing for people who asked for that', async () => {
    await using server = await servePages(everyPage('ar'));
    await using tab = await take();
    await tab.page.goto(`${server.origin}/sign-in`);

    const moving = `[...document.querySelectorAll('*')].filter(
      (element) => getComputedStyle(element).transitionDuration !== '0s')`;
    expect(await tab.page.evaluate(`${moving}.length`)).toBe(0);
  });

  it('has targets of at least 44 pixels', async () => {
    await using server = await servePages(everyPage('ar'));
    await using tab = await take({ width: 320, height: 640 });
    await tab.page.goto(`${server.origin}/sign-in`);

    for (const target of await tab.page.locator('button, label, header a').all()) {
      const box = await target.boundingBox();
      expect(Math.min(box?.width ?? 0, box?.height ?? 0)).toBeGreaterThanOrEqual(44);
    }
  });
});

/** Counts the headings and the elements that no page has, and reads what a payload left behind. */
const PROBE = `[
  document.querySelectorAll('h1').length,
  document.querySelectorAll('script, iframe, img, base, style, template, details').length,
  typeof window.broken,
]`;

const GROUP = atLength(1, 4);
/** Payloads that are in one page: the functions that write pages are tested with each in each place. */
const GROUPS = Array.from({ length: Math.ceil(payloads.length / GROUP) }, (_, index) =>
  payloads.slice(index * GROUP, (index + 1) * GROUP),
);

describe('hostile texts', () => {
  it('run nothing in a browser', async () => {
    const hostile = GROUPS.map((group) => signInPage(hostileSample(group)));
    await using server = await servePages(
      Object.fromEntries(hostile.map((page, index) => [index, page])),
    );
    await using tab = await take();

    for (const [index, group] of GROUPS.entries()) {
      await tab.page.goto(`${server.origin}/${index}`);
      expect(await tab.page.evaluate(PROBE), group.join('\n')).toEqual([1, 0, 'undefined']);
    }
    expect(tab.complaints).toEqual([]);
  });
});

describe('the page that hands the browser on', () => {
  it.each([
    [true, 'by itself'],
    [false, 'by its button where no script runs'],
  ])('goes on with what it carries: %s, %s', async (javaScriptEnabled) => {
    await using server = await servePages({ ...everyPage('ar'), 'go-on': handOverSample('ar') });
    await using tab = await openTab(browser, { javaScriptEnabled });
    await tab.page.goto(`${server.origin}/go-on`, { waitUntil: 'commit' });
    if (!javaScriptEnabled) await tab.page.getByTestId(testIds.continue).click();
    await tab.page.waitForURL('**/dashboard');

    expect(server.posted.map(({ fields }) => fields)).toEqual([
      { state: signInSample('ar').attemptId },
    ]);
    expect(tab.complaints).toEqual([]);
  });
});

describe('a page of another origin', () => {
  it('can not show the sign-in page in a frame', async () => {
    await using server = await servePages(everyPage('en'));
    await using tab = await openTab(browser);
    const refused = tab.page.waitForEvent('console', (message) =>
      message.text().includes('frame-ancestors'),
    );
    await tab.page.setContent(`<iframe src="${server.origin}/sign-in"></iframe>`);

    expect((await refused).type()).toBe('error');
    expect(await tab.page.frameLocator('iframe').getByTestId(testIds.approve).count()).toBe(0);
  });
});

/** Each payload is all of one person, and is in one of the other places at least. */
function hostileSample(group: readonly string[]): SignInPage {
  const at = (place: number) => group[place % group.length] ?? '';
  return {
    ...signInSample('ar'),
    attemptId: at(0),
    service: at(1),
    expiresAt: at(2),
    notice: at(3),
    people: group.map((payload, index) => {
      const names = { arabicName: payload, englishName: payload, nationalId: payload };
      return { ...names, id: payload, kind: 'citizen', default: index === 0 } as const;
    }),
  };
}
