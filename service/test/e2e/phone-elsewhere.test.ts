import { testIds } from '@miftah/pages';
import type { Browser, Locator } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inArabicAtLeast } from '../../../scripts/test-length.ts';
import { launchChromium } from '../../../scripts/browser.ts';
import { tabInTurn } from '../../../scripts/shared-tab.ts';
import { share } from '../support/at-end.ts';
import { expectInView } from '../support/client/in-view.ts';
import { cardOf, openPhoneAt, refuseElsewhere, said } from '../support/client/phone-page.ts';
import { openTcpFront } from '../support/client/tcp-front.ts';
import { simulate } from '../support/client/web-example.ts';
import { ApiClient, type Started } from '../support/programs/api-client.ts';

/**
 * The phone of the simulated people where a scope, a token, a bad connection or another request is in
 * the way.
 */

const AMAL = '1000001101';
const FAISAL = '1000002201';
const YARA = '1000003301';

let browser: Browser;
beforeAll(async () => void (browser = await launchChromium()));
afterAll(async () => browser.close());

const take = tabInTurn(() => browser);

const service = share((atEnd) => simulate({}, atEnd));
const client = () => new ApiClient(service().provider);

const refuse = (started: Started) => refuseElsewhere(client(), started);
const openPhone = (query?: string) => openPhoneAt(take, service().provider, query);

describe('one of several requests', () => {
  it.each(
    inArabicAtLeast([
      ['ar', 'تمت الموافقة.'],
      ['en', 'Approved.'],
    ]),
  )(
    'has its result where it was answered, and no other moves there, in %s',
    async (locale, words) => {
      const scope = `several-${locale}`;
      const [lowest, middle, highest] = [
        await startIn(scope, AMAL),
        await startIn(scope, FAISAL),
        await startIn(scope, YARA),
      ];
      await using tab = await openPhone(`locale=${locale}&scope=${scope}`);
      const { page } = tab;
      await page.setViewportSize({ width: 375, height: 667 });
      await cardOf(page, highest).waitFor();
      const result = page.locator('[data-result]:visible');
      for (const one of [middle, lowest]) {
        const button = cardOf(page, one).getByTestId(testIds.number(one.random ?? ''));
        await button.scrollIntoViewIfNeeded();
        const finger = await middleOf(button);
        await page.mouse.click(finger.x, finger.y);
        await expect.poll(() => drawn(result)).toEqual([`"${words}"`]);
        await expectInView(result);
        // A second tap at the same place is nobody's answer.
        expect(await page.evaluate(IS_ON_ANSWERED, finger)).toBe(true);
        await page.mouse.click(finger.x, finger.y);
        expect(await said(page)).toBe(words);
      }
      expect((await client().status(highest)).text).toContain('"pending"');
      // It goes with the next request that arrives, and the status is what is seen again.
      const later = await startIn(scope, FAISAL);
      await cardOf(page, later).waitFor();
      await result.waitFor({ state: 'detached' });
      for (const one of [highest, later]) {
        await cardOf(page, one).getByTestId(testIds.refuse).click();
      }
      await page.getByTestId(testIds.phoneEmpty).waitFor();
      expect(tab.complaints).toEqual([]);
    },
  );
});

describe('the phone of one scope', () => {
  it('shows its prompts and no others, and names its people as they are', async () => {
    const markup = '<img src=x onerror="hostile=1">';
    await putPerson('ours', { id: 'amal', first: markup });
    await using ours = await openPhone('locale=en&scope=ours');
    await using usual = await openPhone();
    const started = await startIn('ours', AMAL);
    const card = cardOf(ours.page, started);
    await card.waitFor();
    expect(await card.locator('[data-field=name]').textContent()).toBe(markup);
    expect(await ours.page.locator('.phone-controls code').textContent()).toBe('ours');
    expect(await ours.page.evaluate('typeof hostile')).toBe('undefined');
    const other = await startIn('default', FAISAL);
    await cardOf(usual.page, other).waitFor();
    expect([
      await ours.page.locator('.prompt').count(),
      await usual.page.locator('.prompt').count(),
    ]).toEqual([1, 1]);
    await card.getByTestId(testIds.refuse).click();
    await card.waitFor({ state: 'detached' });
    const { text } = await client().status(started);
    expect(text).toContain('"rejected"');
    await refuse(other);
    expect([...ours.complaints, ...usual.complaints]).toEqual([]);
  });

  it('is no page for what is no name of a scope', async () => {
    const address = `${service().provider}/simulator/phone?scope=${encodeURIComponent('<b>')}`;
    const answer = await fetch(address);
    expect([answer.status, (await answer.text()).includes('<b>')]).toEqual([404, false]);
  });
});

describe('the phone of a simulator that asks for its token', () => {
  const token = 'a-token-that-is-long-enough';
  const guarded = share((atEnd) => simulate({ SIMULATOR_TOKEN: token }, atEnd));

  it('asks for it, says that a wrong one is wrong, and goes on with the right one', async () => {
    await using tab = await take();
    const { page } = tab;
    await page.goto(`${guarded().provider}/simulator/phone?locale=en`);
    const field = page.getByTestId(testIds.simulatorToken);
    await field.fill('another-token-of-this-length');
    await page.keyboard.press('Enter');
    await page.getByText('That is not the token.').waitFor();
    expect(await page.locator('[data-said]:not([hidden])').count()).toBe(0);
    await field.fill(token);
    await page.keyboard.press('Enter');
    await page.getByTestId(testIds.phoneEmpty).waitFor();
    expect(await field.isVisible()).toBe(false);
    const started = await new ApiClient(guarded().provider).start({
      locale: 'en',
      national_id: AMAL,
    });
    const card = cardOf(page, started);
    await card.getByTestId(testIds.refuse).click();
    await card.waitFor({ state: 'detached' });
    expect(await said(page)).toBe('Refused.');
    expect(page.url()).not.toContain(token);
  });

  it('names nobody before it has the token', async () => {
    const address = `${guarded().provider}/simulator/phone?locale=en`;
    expect(await (await fetch(address)).text()).not.toContain(AMAL);
    await using tab = await take();
    await tab.page.goto(address);
    const people = tab.page.getByTestId(testIds.phoneOf).locator('option');
    await tab.page.getByTestId(testIds.simulatorToken).fill(token);
    expect(await people.count()).toBe(1);
    await tab.page.keyboard.press('Enter');
    await tab.page.getByTestId(testIds.phoneEmpty).waitFor();
    expect(await people.count()).toBe(11);
  });
});

describe('the phone behind a connection that breaks', () => {
  const front = share((atEnd) => openTcpFront(service().provider, atEnd));

  it('says so, and goes on when it is there again', async () => {
    await using tab = await take();
    const { page } = tab;
    await page.goto(`${front().origin}/simulator/phone?locale=en`);
    await page.getByTestId(testIds.phoneEmpty).waitFor();
    front().cut();
    await page.getByText(/can’t be reached/).waitFor();
    const started = await startIn('default', AMAL);
    front().mend();
    await cardOf(page, started).waitFor();
    await refuse(started);
    await page.getByTestId(testIds.phoneEmpty).waitFor();
  });
});

/** What is drawn for it: the words are no text of the page. */
const drawn = (results: Locator) =>
  results.evaluateAll((found) => found.map((one) => getComputedStyle(one, '::before').content));

const IS_ON_ANSWERED = ({ x, y }: Point) =>
  document.elementFromPoint(x, y)?.closest('.prompt-answered') !== null;

async function middleOf(shown: Locator): Promise<Point> {
  const box = await shown.boundingBox();
  if (box === null) throw new Error('it is not shown');
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

interface Point {
  readonly x: number;
  readonly y: number;
}

async function startIn(scope: string, nationalId: string): Promise<Started> {
  const headers = { 'x-miftah-scope': scope };
  const body = { locale: 'en', national_id: nationalId };
  const { json } = await client().post('/start', body, headers);
  return (json as { data: Started }).data;
}

/** Gives somebody another first name in English, in a scope. */
async function putPerson(scope: string, { id, first }: { id: string; first: string }) {
  const headers = { 'content-type': 'application/json', 'x-miftah-scope': scope };
  const path = `/simulator/people/${id}`;
  const { json } = await client().send('GET', path, headers);
  const { data } = json as { data: Record<string, unknown> };
  const name = { full: first, first, second: null, third: null, last: null };
  const body = JSON.stringify({ ...data, english_name: name });
  const { status, text } = await client().send('PUT', path, headers, body);
  expect(status, text).toBe(200);
}
