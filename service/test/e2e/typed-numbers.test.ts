import { testIds } from '@miftah/pages';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { testIds as consoleIds } from '../../../console/src/test-ids.ts';
import { launchChromium } from '../../../scripts/browser.ts';
import { tabInTurn } from '../../../scripts/shared-tab.ts';
import { cardOf } from '../support/client/phone-page.ts';
import { shareWebExample, WEB_MODES } from '../support/client/web-example.ts';
import { ApiClient, type Started } from '../support/programs/api-client.ts';

/** Numbers that people paste, in each field for one: as they were copied, nothing is cut off. */

const AMAL = '1000001101';

/** As it comes from a document in Persian digits, with marks of direction, spaces and hyphens. */
const copied = (number: string) => {
  const digits = Array.from(number, (digit) => String.fromCharCode(0x06f0 + Number(digit)));
  return `\u200f\u2067 ${digits.join('\u00a0-\u200b')} \u2069\ufeff`;
};
const fullWidth = (number: string) =>
  Array.from(number, (digit) => String.fromCharCode(0xff10 + Number(digit))).join('\u3000');

let browser: Browser;
beforeAll(async () => void (browser = await launchChromium()));
afterAll(async () => browser.close());

const take = tabInTurn(() => browser);

const example = shareWebExample(WEB_MODES[0][1]);

/** Puts a text in as a paste does: a field with a limit would cut it. */
async function paste(page: Page, field: Locator, text: string): Promise<void> {
  expect(await field.getAttribute('inputmode')).toBe('numeric');
  await field.fill('');
  await field.focus();
  await page.keyboard.insertText(text);
  expect(await field.inputValue()).toBe(text);
}

describe.each([
  ['Persian digits', copied],
  ['full-width digits', fullWidth],
])('a number pasted in %s', (_, written) => {
  it('begins a sign-in on the home page', async () => {
    await using tab = await take();
    await tab.page.goto(`${example().provider}/?locale=en`);
    await paste(tab.page, tab.page.locator('[name=national_id]'), written(AMAL));
    await tab.page.keyboard.press('Enter');
    await tab.page.getByTestId(testIds.refuse).waitFor();
    expect(tab.complaints).toEqual([]);
  });

  it('begins a sign-in in the example', async () => {
    await using tab = await take();
    await tab.page.goto(`${example().origin}/?lang=en`);
    await paste(tab.page, tab.page.locator('[name=national_id]'), written(AMAL));
    await tab.page.getByTestId('by-phone').click();
    await tab.page.locator('miftah-wait [part=digits]').waitFor();
    expect(tab.complaints).toEqual([]);
  });

  it('approves on the phone, after one that is none', async () => {
    const client = new ApiClient(example().provider);
    const { json } = await client.post('/start', { locale: 'en', national_id: '1000002201' });
    const { data } = json as { data: Started };
    await using tab = await take();
    await tab.page.goto(`${example().provider}/simulator/phone?locale=en`);
    const card = cardOf(tab.page, data);
    await card.locator('summary').click();
    const field = card.getByTestId(testIds.typedNumber);
    for (const none of [`${data.random}a`, '١٢--٣٤', '-', '½']) {
      await paste(tab.page, field, none);
      const asked = tab.page.waitForResponse('**/decision');
      await card.getByTestId(testIds.approve).click();
      expect((await asked).status()).toBe(422);
      await tab.page.locator('[data-said=no_number]:not([hidden])').waitFor();
    }
    await paste(tab.page, field, written(data.random ?? ''));
    await card.getByTestId(testIds.approve).click();
    await card.waitFor({ state: 'detached' });
    const status = (await client.status(data)).json as { data: { status: string } };
    expect(status.data.status).toBe('authenticated');
  });

  it('is kept of a person in the console', async () => {
    await using tab = await take();
    const { page } = tab;
    await page.goto(`${example().provider}/console?locale=en&scope=typed#/people`);
    await page.getByTestId(consoleIds.changePerson('amal')).click();
    await paste(page, page.locator('[name=national_id]'), written('1000007771'));
    await page.getByTestId(consoleIds.savePerson).click();
    await page.getByText('1000007771').first().waitFor();
    expect(tab.complaints).toEqual([]);
  });
});
