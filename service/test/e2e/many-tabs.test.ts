import { testIds as pageIds } from '@miftah/pages';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { atLength } from '../../../scripts/test-length.ts';
import { testIds } from '../../../console/src/test-ids.ts';
import { launchChromium, openContext } from '../../../scripts/browser.ts';
import { share } from '../support/at-end.ts';
import { cardOf } from '../support/client/phone-page.ts';
import {
  decideOnPhoneOf,
  shareWebExample,
  simulate,
  WEB_MODES,
} from '../support/client/web-example.ts';
import { ApiClient, type Started } from '../support/programs/api-client.ts';

/**
 * Many tabs of one browser, over HTTP/1.1: it has six connections to an origin for all of them. Every
 * tab is a window that is in view, unless a test hides it.
 */

const AMAL = '1000001101';
const TOKEN = 'a-token-of-the-simulator-of-this-test';
/** More than the six connections that a browser has for an origin. */
const MANY = Array.from({ length: atLength(10, 7) }, (_, index) => index);

let browser: Browser;
beforeAll(async () => void (browser = await launchChromium()));
afterAll(async () => browser.close());

const service = share((atEnd) => simulate({}, atEnd));
const guarded = share((atEnd) => simulate({ SIMULATOR_TOKEN: TOKEN }, atEnd));

let scopes = 0;
let scope = '';
beforeEach(() => void (scope = `tabs-${++scopes}`));

/** One browser of a person, with what all its tabs share. */
async function openBrowser() {
  const context = await openContext(browser);
  return { context, [Symbol.asyncDispose]: async () => context.close() };
}

async function open(context: BrowserContext, kind: 'phone' | 'console', ofScope = scope) {
  const page = await context.newPage();
  const path = kind === 'phone' ? '/simulator/phone' : '/console';
  await page.goto(`${service().provider}${path}?locale=en&scope=${ofScope}`);
  return page;
}

async function start(ofScope = scope): Promise<Started> {
  const client = new ApiClient(service().provider);
  const body = { locale: 'en', national_id: AMAL };
  const { json } = await client.post('/start', body, { 'x-miftah-scope': ofScope });
  return (json as { data: Started }).data;
}

/** What both kinds of pages show of an attempt. */
const shownOn = (page: Page, started: Started) =>
  cardOf(page, started).or(page.getByTestId(testIds.attempt(started.attempt_id)));

const areShown = (pages: readonly Page[], started: Started) =>
  Promise.all(
    pages.map((page) => expect.poll(() => shownOn(page, started).isVisible()).toBe(true)),
  );

/** Moves the time of all tabs on in small steps, so that requests under way have time for an answer. */
const isShownInTime = (page: Page, started: Started) =>
  expect
    .poll(async () => {
      await page.clock.runFor(250);
      return shownOn(page, started).isVisible();
    })
    .toBe(true);

/** How many streams the tabs of this page's browser have. */
const streamsOf = (page: Page, kind = 'stream') =>
  page.evaluate<number>(
    `navigator.locks.query().then(({ held }) =>
       held.filter(({ name }) => name.startsWith('miftah-${kind}-')).length)`,
  );

/** As a browser does when another tab is in front of it, or none. */
const turn = (page: Page, state: 'hidden' | 'visible') =>
  page.evaluate(
    `Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true });
     document.dispatchEvent(new Event('visibilitychange'))`,
  );

/** An event that was cut off, for all tabs that share a stream. */
const tellAll = (name: string) =>
  `navigator.locks.query().then(({ held }) => {
     const group = held.map((lock) => lock.name).find((of) => of.startsWith('miftah-events-'));
     new BroadcastChannel(group).postMessage({ name: '${name}', data: '{"da' });
   })`;

describe('many tabs of one browser', () => {
  it('of phone and console show what was there and what happens, with a stream for each kind', async () => {
    const before = await start();
    await using person = await openBrowser();
    const pages: Page[] = [];
    for (const index of MANY) {
      const page = await open(person.context, index % 2 === 0 ? 'phone' : 'console');
      await shownOn(page, before).waitFor();
      pages.push(page);
    }
    const [first, , third] = pages;
    if (first === undefined || third === undefined) throw new Error('there are more');
    const started = await start();
    await areShown(pages, started);
    await expect.poll(() => streamsOf(first)).toBe(2);
    await cardOf(third, started)
      .getByTestId(pageIds.number(started.random ?? ''))
      .click();
    await cardOf(first, started).waitFor({ state: 'detached' });
    // The first of each kind had the stream.
    await Promise.all(pages.splice(0, 2).map((page) => page.close()));
    await areShown(pages, await start());
  });

  it('of as many scopes show each its own, those without a place for a stream by polls', async () => {
    await using person = await openBrowser();
    const own = MANY.map((index) => `${scope}-${index}`);
    const pages: Page[] = [];
    for (const one of own) pages.push(await open(person.context, 'console', one));
    // All at once: most of them ask once a second only.
    await Promise.all(pages.map(async (page, index) => areShown([page], await start(own[index]))));
    const counts = pages.map((page) => page.locator('.virtual > li').count());
    expect(await Promise.all(counts)).toEqual(pages.map(() => 1));
    expect(await streamsOf(pages[0] as Page)).toBe(3);
  });
});

const stateOf = (page: Page) => page.evaluate("document.querySelector('miftah-wait')?.state");

describe('many tabs of an application that waits for a phone', () => {
  const example = shareWebExample(WEB_MODES[0][1]);
  it('load, with three streams, and none when they are hidden, and are all told the end', async () => {
    await using person = await openBrowser();
    const { origin } = example();
    const first = await person.context.newPage();
    await first.goto(origin);
    await first.getByRole('textbox').fill(AMAL);
    await first.getByTestId('by-phone').click();
    await expect.poll(() => stateOf(first)).toBe('waiting');
    const pages = [first];
    for (const _ of MANY.slice(1)) {
      const page = await person.context.newPage();
      await page.goto(`${origin}/sign-in/wait`);
      await expect.poll(() => stateOf(page)).toBe('waiting');
      pages.push(page);
    }
    await expect.poll(() => streamsOf(first, 'wait')).toBe(3);
    for (const page of pages) await turn(page, 'hidden');
    await expect.poll(() => streamsOf(first, 'wait')).toBe(0);
    await expect.poll(() => example().inside?.waiting()).toBe(0);
    await decideOnPhoneOf(example(), AMAL);
    // The first that is seen again tells the others, which may have left before their turn.
    await Promise.allSettled(pages.map((page) => turn(page, 'visible')));
    await Promise.all(
      pages.map((page) => page.waitForURL((url) => url.pathname !== '/sign-in/wait')),
    );
    await first.goto(origin);
    await first.getByTestId('who').waitFor();
  });
});

const KINDS = ['phone', 'console'] as const;

describe('a tab', () => {
  it.each(atLength(KINDS, KINDS.slice(1)))(
    'that is hidden has no stream, and shows what has come when it is seen again: the %s',
    async (kind) => {
      await using person = await openBrowser();
      const page = await open(person.context, kind);
      await areShown([page], await start());
      expect(await streamsOf(page)).toBe(1);
      await turn(page, 'hidden');
      await expect.poll(() => streamsOf(page)).toBe(0);
      const started = await start();
      await turn(page, 'visible');
      await areShown([page], started);
      expect(await streamsOf(page)).toBe(1);
    },
  );

  it.each(atLength(KINDS, KINDS.slice(0, 1)))(
    'shows what comes after an event that it can’t read: the %s',
    async (kind) => {
      await using person = await openBrowser();
      const page = await open(person.context, kind);
      await areShown([page], await start());
      const other = await person.context.newPage();
      await other.goto(service().provider);
      for (const name of ['prompts', 'attempts']) await other.evaluate(tellAll(name));
      await areShown([page], await start());
    },
  );

  it('shows a prompt though the people can’t be read', async () => {
    await using person = await openBrowser();
    await person.context.route(/\/simulator\/people\?/, (route) => route.fulfill({ body: '{"da' }));
    const page = await open(person.context, 'phone');
    await areShown([page], await start());
  });

  it.each([
    [
      'a page that has no locks',
      "Object.defineProperty(Navigator.prototype, 'locks', { value: undefined })",
      '',
    ],
    ['a proxy that keeps streams back', '', '/simulator/events'],
  ])('is told by polls behind %s', async (_what, script, heldBack) => {
    await using person = await openBrowser();
    if (script !== '') await person.context.addInitScript(script);
    let polls = 0;
    await person.context.route('**/simulator/events*', (route) => {
      if (route.request().url().endsWith('once=yes')) polls += 1;
      else if (heldBack !== '') return;
      return route.continue();
    });
    await person.context.clock.install();
    const page = await open(person.context, 'phone');
    await isShownInTime(page, await start());
    await isShownInTime(page, await start());
    expect(polls).toBeGreaterThan(0);
  });

  it('is told nothing by one that has typed the token', async () => {
    await using person = await openBrowser();
    const address = `${guarded().provider}/simulator/phone?locale=en`;
    const inside = await person.context.newPage();
    await inside.goto(address);
    await inside.locator('[data-token] input').fill(TOKEN);
    await inside.locator('[data-token] button').click();
    const client = new ApiClient(guarded().provider);
    const { json } = await client.post('/start', { locale: 'en', national_id: AMAL });
    const { data } = json as { data: Started };
    await cardOf(inside, data).waitFor();
    const outside = await person.context.newPage();
    await outside.goto(address);
    await expect.poll(() => outside.locator('[data-token] input').isVisible()).toBe(true);
    await client.post('/start', { locale: 'en', national_id: '1000002201' });
    await expect.poll(() => inside.locator('.prompt').count()).toBe(2);
    expect(await outside.locator('.prompt').count()).toBe(0);
  });
});
