import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, test } from 'node:test';
import { startMiftah } from 'miftah/testing';
import { chromium } from 'playwright-core';
import { createApp } from './app.mjs';

/** @type {import('miftah/testing').TestMiftah} */
let miftah;
/** @type {import('node:http').Server} */
let app;
/** @type {import('playwright-core').Browser} */
let browser;
before(async () => {
  miftah = await startMiftah();
  app = createApp(miftah.baseUrl).listen(0, '127.0.0.1');
  await once(app, 'listening');
  // Without CHROMIUM_PATH, the browser that Playwright has installed.
  const { CHROMIUM_PATH: executablePath } = process.env;
  browser = await chromium.launch(executablePath === undefined ? {} : { executablePath });
});
after(async () => {
  await browser.close();
  app.close();
  await miftah.stop();
});

async function openShop() {
  const page = await browser.newPage();
  const address = app.address();
  if (address === null || typeof address === 'string') throw new Error('the app has no port');
  await page.goto(`http://127.0.0.1:${address.port}/`);
  return page;
}

test('signs in by browser, on the pages of the simulator', async () => {
  const page = await openShop();
  await page.getByText('Sign in by browser').click();
  await page.getByTestId('person-hanae').check();
  await page.getByTestId('approve').click();
  await page.getByText('You are Hanae Younes El Bayyina').waitFor();
});

test('signs in by phone, with the number that the page shows', async () => {
  const page = await openShop();
  await page.getByText('Sign in by phone').click();
  await page.getByText(/^Choose \d+ on your phone$/).waitFor();
  const number = /\d+/.exec((await page.locator('#told').textContent()) ?? '')?.[0];
  const prompt = await miftah.phone.approve('1000002201');
  assert.equal(number, prompt.random);
  await page.getByText('You are Faisal Omar Khalid Altajribi').waitFor();
});
