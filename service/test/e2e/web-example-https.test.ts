import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { launchChromium, openTab } from '../../../scripts/browser.ts';
import {
  decideOnPhoneOf,
  openPortExample,
  shareHttpsExample,
} from '../support/client/web-example.ts';

/** The application of examples/web behind a proxy that speaks https, as it is in production. */

const AMAL = '1000001101';

let browser: Browser;
beforeAll(async () => void (browser = await launchChromium()));
afterAll(async () => browser.close());

const example = shareHttpsExample();

it('names its address at the start, and takes the forms of it where PORT alone is set', async () => {
  expect(example().said()).toMatch(
    /^The application \(APP_URL\): https:\S+\/, which has to lead to 127\.0\.0\.1:\d+ \(PORT\)\n$/,
  );
  const { origin, said } = await openPortExample(onTestFinished);
  expect(said()).toBe(`The application (APP_URL): ${origin}/\n`);
  const started = await fetch(`${origin}/sign-in/start`, {
    method: 'POST',
    headers: { origin },
    body: new URLSearchParams({ by: 'browser' }),
    redirect: 'manual',
  });
  expect(started.status).toBe(303);
});

it('over https the session’s cookie has the prefix `__Host-`, and signs in', async () => {
  await using tab = await openTab(browser, { ignoreHTTPSErrors: true });
  const { page } = tab;
  await page.goto(`${example().origin}/?lang=en`);
  await page.getByRole('textbox').fill(AMAL);
  await page.getByTestId('by-phone').click();
  await page.waitForURL(`${example().origin}/sign-in/wait?*`);
  await decideOnPhoneOf(example(), AMAL);
  await page.waitForURL(`${example().origin}/`);
  expect(await page.getByTestId('who').textContent()).toMatch(/^Amal/);
  const cookies = (await page.context().cookies()).filter(({ name }) => name.includes('session'));
  expect(cookies).toMatchObject([
    {
      name: '__Host-session',
      secure: true,
      httpOnly: true,
      sameSite: 'Lax',
      path: '/',
      domain: 'localhost',
    },
  ]);
  expect(tab.complaints).toEqual([]);
});
