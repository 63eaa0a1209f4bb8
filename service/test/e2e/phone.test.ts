import { testIds } from '@miftah/pages';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { inArabicAtLeast, atLength } from '../../../scripts/test-length.ts';
import { axeFaultsIn } from '../../../scripts/axe.ts';
import { launchChromium } from '../../../scripts/browser.ts';
import { tabInTurn } from '../../../scripts/shared-tab.ts';
import { writeClientsFile } from '../../../scripts/rehearsal.ts';
import { share, temporaryFolder } from '../support/at-end.ts';
import { cardOf, openPhoneAt, refuseElsewhere, said } from '../support/client/phone-page.ts';
import { simulate } from '../support/client/web-example.ts';
import { expectInView, PHONES } from '../support/client/in-view.ts';
import { CLIENTS } from '../support/live/rehearsal.ts';
import { ApiClient, type Started } from '../support/programs/api-client.ts';

/** The phone of the simulated people, in Chromium. */

const AMAL = '1000001101';
const FAISAL = '1000002201';
const NOBODY = '1000000001';
const LANGUAGES = atLength(['ar', 'en'], ['ar']);

let browser: Browser;
beforeAll(async () => void (browser = await launchChromium()));
afterAll(async () => browser.close());

const take = tabInTurn(() => browser);

const service = share((atEnd) => simulate({}, atEnd));
const client = () => new ApiClient(service().provider);

const refuse = (started: Started) => refuseElsewhere(client(), started);
const openPhone = (query?: string) => openPhoneAt(take, service().provider, query);

const start = (nationalId: string) => client().start({ locale: 'en', national_id: nationalId });

async function statusOf(started: Started): Promise<unknown> {
  const { json } = await client().status(started);
  return (json as { data: { status: string } }).data.status;
}

/** How many numbers are wider than their buttons. */
const CUT_NUMBERS = `[...document.querySelectorAll('[data-numbers] button')].filter(
  (button) => button.scrollWidth > button.clientWidth).length`;

/** Milliseconds since the page was opened, by the browser. */
const ageOf = (page: Page) => page.evaluate<number>('performance.now()');

async function moveClock(move: object): Promise<void> {
  const json = { 'content-type': 'application/json' };
  const { status } = await client().send('POST', '/simulator/clock', json, JSON.stringify(move));
  expect(status).toBe(200);
}

describe('the phone', () => {
  it('is empty, and says what to do', async () => {
    await using tab = await openPhone();
    await tab.page.getByTestId(testIds.phoneEmpty).waitFor();
    expect(await tab.page.title()).toBe('The simulated phone · Miftah');
    expect(tab.complaints).toEqual([]);
  });

  it.each(LANGUAGES)(
    'shows what has arrived, and approves by the right number, in %s',
    async (locale) => {
      await using tab = await openPhone(`locale=${locale}`);
      await tab.page.getByTestId(testIds.phoneEmpty).waitFor();
      const started = await start(AMAL);
      const card = cardOf(tab.page, started);
      await card.waitFor();
      expect(await card.locator('[data-field=name]').textContent()).toMatch(/^(Amal|أمل)/);
      expect(await card.locator('[data-field=identity]').textContent()).toBe(AMAL);
      expect(await card.locator('[data-field=left]').textContent()).toMatch(/^[45]:\d\d$/);
      expect(await tab.page.title()).toMatch(/^\(1\) /);
      const numbers = await card.locator('[data-numbers] button').allTextContents();
      expect([new Set(numbers).size, numbers.includes(started.random ?? '')]).toEqual([3, true]);
      await card.getByTestId(testIds.number(started.random ?? '')).click();
      await card.waitFor({ state: 'detached' });
      expect(await said(tab.page)).toMatch(/^(Approved|تمت الموافقة)/);
      expect(await statusOf(started)).toBe('authenticated');
      expect(tab.complaints).toEqual([]);
    },
  );

  it.each(
    inArabicAtLeast([
      ['ar', ['التطبيق', 'مصدر الطلب'], 'تطبيق تجريبي', 'هذا الجهاز'],
      ['en', ['Application', 'Started from'], 'Demo application', 'This machine'],
    ]),
  )('says which application asks, and from where, in %s', async (locale, labels, name, here) => {
    await using tab = await openPhone(`locale=${locale}`);
    const started = await start(AMAL);
    const facts = cardOf(tab.page, started).locator('.prompt-facts > div:not([hidden])');
    await facts.filter({ hasText: here }).waitFor();
    expect(await facts.locator('dt').allTextContents()).toEqual(expect.arrayContaining(labels));
    // In the language of the page, as all else on it: the sign-in of this test is in English.
    expect(await facts.locator('[data-field=application]').textContent()).toBe(name);
    expect(await facts.locator('[data-field=place]').textContent()).toBe(here);
    await refuse(started);
  });

  it('shows an application’s name as text, and leaves out what is not known', async () => {
    const name = '<img src="/x" onerror="document.title=1">';
    const file = writeClientsFile(temporaryFolder('clients', onTestFinished), [
      { ...CLIENTS.shop, name: { ar: name, en: name } },
    ]);
    const { provider } = await simulate({ CLIENTS_FILE: file }, onTestFinished);
    const there = new ApiClient(provider);
    await using tab = await openPhoneAt(take, provider);
    const body = { locale: 'en', national_id: AMAL };
    const started = await there.start(body);
    const card = cardOf(tab.page, started);
    await card.getByText('This machine').waitFor();
    expect(await card.locator('[data-field=application]').textContent()).toBe(name);
    expect(await card.locator('img').count()).toBe(0);
    // A push that another program asks for: the provider knows neither its application nor its place.
    const address = `/stg/api/v1/mfa/request?local=en&requestId=${crypto.randomUUID()}`;
    const push = JSON.stringify({ nationalId: FAISAL, service: 'Login' });
    const json = { 'content-type': 'application/json' };
    expect((await there.send('POST', address, json, push)).status).toBeLessThan(300);
    const other = tab.page.locator('.prompt').filter({ hasText: FAISAL });
    await other.waitFor();
    expect(await other.locator('.prompt-facts > div[hidden]').count()).toBe(2);
    expect(tab.complaints).toEqual([]);
  });

  it.each(LANGUAGES)('brings the numbers into view on every phone, in %s', async (locale) => {
    await using tab = await openPhone(`locale=${locale}`);
    for (const size of PHONES) {
      await tab.page.setViewportSize(size);
      await tab.page.reload();
      await tab.page.getByTestId(testIds.phoneEmpty).waitFor();
      const started = await start(AMAL);
      const card = cardOf(tab.page, started);
      await expectInView(card.locator('[data-numbers]'));
      expect(await tab.page.locator(':focus').textContent()).toBe(
        await card.locator('h2').textContent(),
      );
      await card.locator('summary').click();
      await expectInView(card.getByTestId(testIds.typedNumber));
      // A new prompt does not take the focus from somebody who is typing.
      const other = await start(FAISAL);
      await cardOf(tab.page, other).waitFor();
      await expectInView(card.getByTestId(testIds.typedNumber));
      await tab.page.keyboard.type(started.random ?? '');
      await tab.page.keyboard.press('Enter');
      await card.waitFor({ state: 'detached' });
      expect(await statusOf(started)).toBe('authenticated');
      await refuse(other);
    }
    await tab.page.setViewportSize(PHONES[0]);
    expect(await tab.page.evaluate('document.documentElement.scrollWidth')).toBe(320);
    expect(tab.complaints).toEqual([]);
  });

  it.each(LANGUAGES)(
    'says on a narrow screen that it is a simulation, and how many wait, in %s',
    async (locale) => {
      const [first, second] = [await start(AMAL), await start(FAISAL)];
      await using tab = await openPhone(`locale=${locale}`);
      await tab.page.setViewportSize({ width: 375, height: 667 });
      await tab.page.reload();
      const count = tab.page.getByTestId(testIds.phoneCount);
      for (const one of [first, second]) await cardOf(tab.page, one).waitFor();
      await expectInView(count);
      const [simulation, number] = [/^(This is a simulation|هذه محاكاة)/, /\b2$/];
      expect(await count.textContent()).toMatch(simulation);
      expect(await count.textContent()).toMatch(number);
      for (const one of [first, second]) await refuse(one);
      await count.waitFor({ state: 'hidden' });
      expect(tab.complaints).toEqual([]);
    },
  );

  it('shows the same three numbers in the same order each time', async () => {
    const started = await start(AMAL);
    const seen: string[][] = [];
    for (const locale of ['ar', 'en']) {
      await using tab = await openPhone(`locale=${locale}`);
      const card = cardOf(tab.page, started);
      await card.waitFor();
      seen.push(await card.locator('[data-numbers] button').allTextContents());
    }
    expect(seen[0]).toEqual(seen[1]);
    await refuse(started);
  });

  it('refuses by a wrong number', async () => {
    await using tab = await openPhone();
    const started = await start(AMAL);
    const card = cardOf(tab.page, started);
    await card.locator(`button:not([data-testid=number-${started.random}])`).first().click();
    await card.waitFor({ state: 'detached' });
    expect(await said(tab.page)).toMatch(/^That was the wrong number/);
    expect(await statusOf(started)).toBe('rejected');
  });

  it('takes a number that is typed, with the digits of any keyboard', async () => {
    await using tab = await openPhone('locale=ar');
    const started = await start(AMAL);
    const card = cardOf(tab.page, started);
    await card.locator('summary').click();
    const arabic = (started.random ?? '')
      .split('')
      .map((digit) => String.fromCharCode(0x0660 + Number(digit)));
    await card.getByTestId(testIds.typedNumber).fill(` ${arabic.join('')} `);
    await card.getByTestId(testIds.approve).click();
    await card.waitFor({ state: 'detached' });
    expect(await statusOf(started)).toBe('authenticated');
  });

  it('asks again after what is no number, and takes a pasted one with spaces', async () => {
    await using tab = await openPhone();
    const started = await start(AMAL);
    const card = cardOf(tab.page, started);
    await card.locator('summary').click();
    const field = card.getByTestId(testIds.typedNumber);
    await field.fill('forty-two');
    await card.getByTestId(testIds.approve).click();
    await expect.poll(() => said(tab.page)).toMatch(/^That is no number/);
    expect(await statusOf(started)).toBe('pending');
    const persian = (started.random ?? '').replaceAll(/\d/g, (digit) =>
      String.fromCharCode(0x06f0 + Number(digit)),
    );
    await field.fill(`${persian.slice(0, 3)}\u00a0${persian.slice(3)}\u200f`);
    await card.getByTestId(testIds.approve).click();
    await card.waitFor({ state: 'detached' });
    expect(await statusOf(started)).toBe('authenticated');
  });

  it.each([
    [testIds.refuse, 'rejected', /^Refused/],
    [testIds.notMe, 'rejected', /^Reported/],
    [testIds.ignore, 'pending', /^Ignored/],
  ])('answers with %s', async (button, status, sentence) => {
    await using tab = await openPhone();
    const started = await start(FAISAL);
    const card = cardOf(tab.page, started);
    await card.getByTestId(button).click();
    await card.waitFor({ state: 'detached' });
    expect(await said(tab.page)).toMatch(sentence);
    expect(await statusOf(started)).toBe(status);
  });

  it('is used by keyboard alone, and the focus goes on to the next prompt', async () => {
    await using tab = await openPhone();
    const first = await start(AMAL);
    await cardOf(tab.page, first).waitFor();
    const second = await start(FAISAL);
    await cardOf(tab.page, second).waitFor();
    await cardOf(tab.page, first)
      .getByTestId(testIds.number(first.random ?? ''))
      .focus();
    await tab.page.keyboard.press('Enter');
    await cardOf(tab.page, first).waitFor({ state: 'detached' });
    expect(await tab.page.evaluate('document.activeElement.closest("li").dataset.testid')).toBe(
      testIds.prompt(second.attempt_id),
    );
    await cardOf(tab.page, second).getByTestId(testIds.refuse).focus();
    await tab.page.keyboard.press('Space');
    await cardOf(tab.page, second).waitFor({ state: 'detached' });
    expect(await tab.page.evaluate('document.activeElement.dataset.testid')).toBe(testIds.phoneOf);
  });

  it('shows the phone of one person, and of a number that nobody has', async () => {
    await using tab = await openPhone();
    await tab.page.getByTestId(testIds.phoneOf).focus();
    const [amal, faisal, nobody] = [await start(AMAL), await start(FAISAL), await start(NOBODY)];
    await cardOf(tab.page, nobody).waitFor();
    expect(await tab.page.evaluate('document.activeElement.dataset.testid')).toBe(testIds.phoneOf);
    expect(await cardOf(tab.page, nobody).locator('[data-field=name]').textContent()).toBe('');
    const numbers = tab.page.locator('.prompt [data-field=identity]');
    const arrived = await numbers.allTextContents();
    await tab.page.getByTestId(testIds.phoneOf).selectOption(FAISAL);
    await cardOf(tab.page, amal).waitFor({ state: 'detached' });
    expect(await tab.page.locator('.prompt').count()).toBe(1);
    expect(await tab.page.title()).toMatch(/^\(1\)/);
    await tab.page.getByTestId(testIds.phoneOf).selectOption('');
    await cardOf(tab.page, nobody).waitFor();
    // The newest is on top again, and not what has come back last.
    expect(await numbers.allTextContents()).toEqual(arrived);
    for (const one of [amal, faisal, nobody]) await refuse(one);
    await tab.page.getByTestId(testIds.phoneEmpty).waitFor();
  });

  it('says that a prompt has ended elsewhere, also when the clock was moved', async () => {
    await using tab = await openPhone();
    const started = await start(AMAL);
    await cardOf(tab.page, started).waitFor();
    service().inside.letExpire();
    await cardOf(tab.page, started).waitFor({ state: 'detached' });
    expect(await said(tab.page)).toMatch(/^A request has ended/);
  });

  it('counts down only while the clock runs', async () => {
    await using tab = await openPhone();
    const started = await start(AMAL);
    const left = cardOf(tab.page, started).locator('[data-field=left]');
    await left.waitFor();
    await moveClock({ freeze: 'now' });
    await moveClock({ advance: '1m' });
    await expect.poll(() => left.textContent()).toMatch(/^(4:00|3:\d\d)$/);
    const stopped = await left.textContent();
    const age = await ageOf(tab.page);
    // The page counts down four times a second by the clock of the browser.
    await expect.poll(() => ageOf(tab.page)).toBeGreaterThan(age + 1500);
    expect(await left.textContent()).toBe(stopped);
    await moveClock({ reset: true });
    await refuse(started);
  });

  it('keeps the focus at the next prompt when the event comes before the answer', async () => {
    await using tab = await openPhone();
    const [first, second] = [await start(AMAL), await start(FAISAL)];
    await cardOf(tab.page, second).waitFor();
    await tab.page.route('**/decision', async (route) => {
      const response = await route.fetch();
      // The stream of events tells the page of the decision before the answer does.
      await cardOf(tab.page, first).waitFor({ state: 'detached' });
      await route.fulfill({ response });
    });
    await cardOf(tab.page, first).getByTestId(testIds.refuse).focus();
    await tab.page.keyboard.press('Enter');
    await expect.poll(() => said(tab.page)).toMatch(/^Refused/);
    expect(await tab.page.evaluate('document.activeElement.closest("li").dataset.testid')).toBe(
      testIds.prompt(second.attempt_id),
    );
    await refuse(second);
  });

  it('says why an answer was not taken', async () => {
    await using tab = await openPhone();
    const started = await start(AMAL);
    const card = cardOf(tab.page, started);
    await card.waitFor();
    await tab.page.route('**/decision', (route) =>
      route.fulfill({ status: 409, json: { message: 'The prompt has ended.' } }),
    );
    await card.getByTestId(testIds.refuse).click();
    await tab.page.getByText('The answer was not taken: The prompt has ended.').waitFor();
    expect(await card.count()).toBe(1);
    await refuse(started);
  });

  it('says in the language of the page that the simulator can’t be reached', async () => {
    await using tab = await openPhone('locale=ar');
    const started = await start(AMAL);
    const card = cardOf(tab.page, started);
    await card.waitFor();
    await tab.page.route('**/decision', (route) => route.abort());
    await card.getByTestId(testIds.refuse).click();
    await expect.poll(() => said(tab.page)).toMatch(/^انقطع الاتصال بالمحاكي/);
    expect(await card.count()).toBe(1);
    await refuse(started);
  });

  it.each(LANGUAGES)('is accessible with prompts on it, in %s', async (locale) => {
    await using tab = await openPhone(`locale=${locale}`);
    const started = await start(AMAL);
    await cardOf(tab.page, started).waitFor();
    for (const scheme of ['light', 'dark'] as const) {
      expect(await axeFaultsIn(scheme, tab.page)).toEqual([]);
    }
    await tab.page.setViewportSize({ width: 320, height: 700 });
    // Also with the larger letters that a reader may have chosen.
    for (const size of ['100%', '150%']) {
      await tab.page.evaluate(`document.documentElement.style.fontSize = '${size}'`);
      expect(await tab.page.evaluate('document.documentElement.scrollWidth')).toBe(320);
      expect(await tab.page.evaluate(CUT_NUMBERS)).toBe(0);
    }
    await refuse(started);
  });

  it('is one click from a sign-in by phone on the home page', async () => {
    await using tab = await take();
    await tab.page.goto(`${service().provider}/?locale=en`);
    await tab.page.getByTestId(testIds.trialPhone).click();
    await tab.page.getByTestId(testIds.phone).click();
    await tab.page.waitForURL('**/simulator/phone?locale=en');
    await tab.page.locator('.prompt').first().getByTestId(testIds.refuse).click();
    await expect.poll(() => said(tab.page)).toBe('Refused.');
  });
});
