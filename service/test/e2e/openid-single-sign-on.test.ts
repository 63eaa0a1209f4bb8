import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { testIds } from '@miftah/pages';
import * as oidc from 'openid-client';
import { expect, it, onTestFinished } from 'vitest';
import { launchChromium, openTab } from '../../../scripts/browser.ts';
import { writeClientsFile } from '../../../scripts/rehearsal.ts';
import { temporaryFolder } from '../support/at-end.ts';
import type { PersonBrowser, Visit } from '../support/live/person-browser.ts';
import { findFreePort } from '../support/programs/service-process.ts';
import {
  beginIn,
  exchange,
  openidBrowser,
  openOpenid,
  wayBack,
  writtenRequest,
} from '../support/openid/openid-scene.ts';
import { ALL_SSO, applicationsOf, openSso, SSO_CLIENTS } from '../support/openid/sso-scene.ts';
import { emptyDatabase } from '../support/postgres/databases.ts';

/** Single sign-on at two instances on PostgreSQL, over a restart on SQLite, and in a real browser. */

const NONE = { parameters: { prompt: 'none' } };

async function openTwo() {
  const CLIENTS_FILE = writeClientsFile(temporaryFolder('sso', onTestFinished), ALL_SSO);
  const DATABASE_URL = await emptyDatabase(onTestFinished);
  const settings = { CLIENTS_FILE, DATABASE_URL, SECRET_KEY: 'ab'.repeat(32) };
  const first = await openOpenid(onTestFinished, settings);
  const second = await openOpenid(onTestFinished, { ...settings, PUBLIC_URL: first.origin });
  return { first, second };
}

/** In plain simulator mode a link of the provider's page leads back. */
async function approveIn(browser: PersonBrowser, page: Visit): Promise<URL> {
  const provider = await browser.follow(await browser.press(page));
  const decided = await browser.press(provider, { person: 'amal', decision: 'approve' });
  const [, onward = ''] = /href="([^"]+)" data-testid="onward"/.exec(decided.html) ?? [];
  return new URL(onward.replaceAll('&amp;', '&'));
}

it('a session that one instance has begun is answered of and ended by another one', async () => {
  const { first, second } = await openTwo();
  const { requestOf } = applicationsOf(first.origin);
  const browser = openidBrowser();
  const asked = await requestOf('shop');
  const back = await approveIn(browser, await beginIn(browser, asked));
  const { location } = await wayBack(browser, asked, back);
  const tokens = [{ asked, tokens: await exchange(asked, location ?? back) }];
  /** A request without the person, at one of the two. */
  const silently = async (id: 'shop' | 'desk', at: { readonly origin: string }) => {
    const wish = await requestOf(id, NONE);
    const visit = await browser.open(wish.url.href.replace(first.origin, at.origin));
    return { asked: wish, location: visit.location ?? wish.url };
  };
  // Each writes the session, so at the same moment one of them could forget the others.
  const all = await Promise.all(
    [first, second, first, second].flatMap((at) => [silently('shop', at), silently('desk', at)]),
  );
  for (const one of all) {
    tokens.push({ asked: one.asked, tokens: await exchange(one.asked, one.location) });
  }
  const isActive = async ({ asked: { config }, tokens: { access_token } }: (typeof tokens)[0]) =>
    (await oidc.tokenIntrospection(config, access_token)).active;
  expect(await Promise.all(tokens.map((one) => isActive(one)))).not.toContain(false);
  const hint = String(tokens[0]?.tokens.id_token);
  await browser.open(`${second.origin}/openid/logout?id_token_hint=${hint}`);
  expect(await Promise.all(tokens.map((one) => isActive(one)))).not.toContain(true);
  for (const at of [first, second]) {
    const { location: end } = await silently('desk', at);
    expect(end.searchParams.get('error')).toBe('login_required');
  }
});

it('a session outlives a restart', async () => {
  const settings = {
    DATA_DIR: temporaryFolder('sso', onTestFinished),
    PORT: String(await findFreePort()),
  };
  const before = await openSso(onTestFinished, ALL_SSO, settings);
  const { browser, claims } = await before.signIn('shop');
  await before.service.close();
  const after = await openSso(onTestFinished, ALL_SSO, settings);
  const { claims: again } = await after.answered(browser, 'desk', NONE);
  expect(again['auth_time']).toBe(claims['auth_time']);
});

/** An application that keeps what comes back to it, and has pages that frame another one. */
async function openApplication() {
  const seen: URLSearchParams[] = [];
  const server = createServer(({ url = '' }, response) => {
    const { pathname, searchParams } = new URL(url, 'http://localhost');
    if (pathname === '/cb') seen.push(searchParams);
    const framed = (searchParams.get('framed') ?? '').replaceAll('&', '&amp;');
    const body = framed === '' ? '<h1>application</h1>' : `<iframe src="${framed}"></iframe>`;
    response.setHeader('content-type', 'text/html').end(body);
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const answerTo = (state: string) => seen.find((one) => one.get('state') === state);
  return { port, answerTo };
}

it('in Chromium the second application is answered at once, and no frame of another site', async () => {
  const { port, answerTo } = await openApplication();
  const redirectUri = `http://127.0.0.1:${port}/cb`;
  const clients = ['shop', 'desk'].map((id) => ({
    ...SSO_CLIENTS.shop,
    id,
    keys: [`mfk_${id}_0123456789abcdef`],
    openid: { redirect_uris: [redirectUri], sso: true },
  }));
  const CLIENTS_FILE = writeClientsFile(temporaryFolder('sso', onTestFinished), clients);
  const { origin } = await openOpenid(onTestFinished, { CLIENTS_FILE });
  const requestOf = (id: string, state: string) =>
    `${origin}/openid/authorize?${writtenRequest(id, redirectUri, state).toString()}`;
  const browser = await launchChromium();
  onTestFinished(() => browser.close());
  await using tab = await openTab(browser, { reducedMotion: 'reduce' });
  const { page } = tab;
  await page.goto(requestOf('shop', 'first'));
  await page.getByTestId(testIds.launch).click();
  await page.getByTestId(testIds.person('amal')).check();
  await page.getByTestId(testIds.approve).click();
  await page.waitForURL(`${redirectUri}?*`);
  await page.goto(`${requestOf('desk', 'second')}&prompt=none`);
  expect([answerTo('first')?.has('code'), answerTo('second')?.has('code')]).toEqual([true, true]);
  // The name is another site than the address.
  const framed = encodeURIComponent(`${requestOf('desk', 'framed')}&prompt=none`);
  await page.goto(`http://localhost:${port}/page?framed=${framed}`);
  await expect.poll(() => answerTo('framed')?.get('error')).toBe('login_required');
  // Of the same site the cookie comes with a frame too, and does not help.
  const near = encodeURIComponent(`${requestOf('desk', 'near')}&prompt=none`);
  await page.goto(`http://127.0.0.1:${port}/page?framed=${near}`);
  await expect.poll(() => answerTo('near')?.get('error')).toBe('login_required');
});
