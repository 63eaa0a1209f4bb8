import type { Browser, Page, Response } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { atLength } from '../../../scripts/test-length.ts';
import { launchChromium } from '../../../scripts/browser.ts';
import { sharedTab } from '../../../scripts/shared-tab.ts';
import { recordCanaries } from '../support/canaries/run-folder.ts';
import { shareListeningService } from '../support/service/listening-service.ts';

/** Sends each example of the API reader at /docs unchanged. */

const BASE = '/api/v1';
const ALL_STEPS = [
  ['post', '/start'],
  ['get', '/status/{attempt_id}'],
  ['post', '/callback'],
  ['post', '/complete-mfa'],
  ['post', '/token/{attempt_id}'],
  ['get', '/user'],
] as const;
/** The reader takes seconds for each, and the second has what it has kept of the first. */
const STEPS = ALL_STEPS.slice(0, atLength(ALL_STEPS.length, 2));

let browser: Browser;
const service = shareListeningService();

beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(async () => {
  await browser.close();
});

/** The reader logs its name and version, which is no error. */
const faultsIn = (complaints: readonly string[]) =>
  complaints.filter((text) => !/: @scalar\/\S+@[\d.]+$/.test(text));

describe('the reader, which takes seconds to load, in one tab', () => {
  const sharing = sharedTab(() => browser);
  const origins = new Set<string>();

  it('says what it loads until it is there, and where the document is', async () => {
    const { page, complaints } = sharing();
    page.context().on('request', (request) => origins.add(new URL(request.url()).origin));
    const { promise: mayCome, resolve: letCome } = Promise.withResolvers<undefined>();
    await page.route('**/docs/reader.js', async (route) => {
      await mayCome;
      await route.continue();
    });
    await page.goto(`${service().origin}/docs`, { waitUntil: 'commit' });
    const loading = page.locator('#loading');
    await loading.waitFor();
    expect(await loading.getByRole('link').getAttribute('href')).toBe('/openapi.json');
    letCome(undefined);
    await page.getByText('The editor goes on showing the examples').waitFor();
    expect(await loading.count()).toBe(0);
    expect(faultsIn(complaints)).toEqual([]);
  });

  it('shows the operations and asks no other origin for anything', async () => {
    const { page, complaints } = sharing();
    for (const operation of ['Start an attempt', 'Exchange an authenticated attempt']) {
      await expect.poll(() => page.getByText(operation).first().isVisible()).toBe(true);
    }
    expect([...origins].filter((origin) => !/^(data|blob|null)/.test(origin))).toEqual([
      service().origin,
    ]);
    expect(faultsIn(complaints)).toEqual([]);
  });

  it('answers 200 to the steps of a sign-in, in the order of the page', async () => {
    const { page } = sharing();
    const sent: string[] = [];
    for (const [method, path] of STEPS) {
      const first = await sendExample(page, method, path);
      // The reader uses the values of an answer a moment after it arrived.
      const isEarly = method === 'get' && first.status() !== 200;
      const answer = isEarly ? await sendExample(page, method, path) : first;
      sent.push(`${path} ${answer.status()}`);
      keepSecretsOf(answer);
    }
    expect(sent).toEqual(STEPS.map(([, path]) => `${path} 200`));
  });

  it('leads home', async () => {
    const { page } = sharing();
    await page.getByRole('link', { name: 'To the home page' }).click();
    await page.getByRole('heading', { name: 'Sign in now' }).waitFor();
  });
});

async function sendExample(page: Page, method: string, path: string): Promise<Response> {
  const open = page.getByRole('button', { name: `(${method} ${BASE}${path})` }).first();
  // The reader renders an operation when it comes into view.
  await expect.poll(() => scrolledTo(page, open), { interval: 100 }).toBe(true);
  await open.click();
  const start = BASE + path.split('{', 1).join('');
  const answered = page.waitForResponse(
    (response) =>
      new URL(response.url()).pathname.startsWith(start) &&
      response.request().method() === method.toUpperCase(),
  );
  await page.getByRole('button', { name: /^Send/ }).first().click();
  const answer = await answered;
  await answer.finished();
  await page.keyboard.press('Escape');
  return answer;
}

async function scrolledTo(page: Page, open: ReturnType<Page['getByRole']>): Promise<boolean> {
  if ((await open.count()) > 0) return true;
  await page.mouse.wheel(0, 600);
  return false;
}

/** Records the values with which the reader replaced the examples. */
function keepSecretsOf(answer: Response): void {
  const headers = answer.request().headers();
  const attemptToken = headers['x-provider-attempt-token'];
  const [, token] = /^Bearer (mft_.*)$/.exec(headers['authorization'] ?? '') ?? [];
  if (attemptToken !== undefined) recordCanaries('attempt token', [attemptToken]);
  if (token !== undefined) recordCanaries('API token', [token]);
}
