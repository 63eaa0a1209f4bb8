import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { testIds } from '@miftah/pages';
import * as oidc from 'openid-client';
import type { Page } from 'playwright-core';
import { expect, it, onTestFinished } from 'vitest';
import { axeFaults } from '../../../scripts/axe.ts';
import { launchChromium, openTab } from '../../../scripts/browser.ts';
import { discovered } from '../support/openid/openid-scene.ts';
import { openListening } from '../support/service/listening-service.ts';

/** A logout by a standard client, and the answer to a sign-in by a form, in a real browser. */

/** An application that sends whoever comes back from a logout on to another host of its own. */
async function openApplication() {
  const server = createServer((request, response) => {
    const { port } = server.address() as AddressInfo;
    if (request.url?.startsWith('/bye') === true) {
      const onward = request.url.replace('/bye', '/end');
      response.writeHead(303, { location: `http://localhost:${port}${onward}` }).end();
      return;
    }
    response.setHeader('content-type', 'text/html');
    response.write('<!doctype html><title>App</title><h1>App</h1><pre>');
    request.pipe(response);
  }).listen(0);
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** A browser at a service, and an application that signs in and out. */
async function openScene() {
  const browser = await launchChromium();
  onTestFinished(() => browser.close());
  const { origin } = await openListening({ settings: { OPENID: 'on' } });
  const port = await openApplication();
  const config = await discovered(origin, 'demo-web', oidc.ClientSecretBasic('mfk_test_demo_web'));
  return { browser, config, port, redirectUri: `http://127.0.0.1:${port}/cb` };
}

async function approve(page: Page, address: URL) {
  await page.goto(address.href);
  await page.getByTestId(testIds.launch).click();
  await page.getByTestId(testIds.person('siobhan')).check();
  await page.getByTestId(testIds.approve).click();
}

it('with a hint, and by the page that asks', async () => {
  const { browser, config, port, redirectUri } = await openScene();
  const after = `http://127.0.0.1:${port}/bye`;
  const end = `http://localhost:${port}/end`;
  await using tab = await openTab(browser, { reducedMotion: 'reduce' });
  const { page } = tab;

  const signIn = async () => {
    const pkceCodeVerifier = oidc.randomPKCECodeVerifier();
    const address = oidc.buildAuthorizationUrl(config, {
      redirect_uri: redirectUri,
      scope: 'openid',
      code_challenge: await oidc.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: 'S256',
    });
    await approve(page, address);
    await page.waitForURL(`${redirectUri}?*`);
    const back = new URL(page.url());
    return oidc.authorizationCodeGrant(config, back, { pkceCodeVerifier });
  };
  const isActive = async (token: string) => (await oidc.tokenIntrospection(config, token)).active;

  const first = await signIn();
  const hinted = { id_token_hint: String(first.id_token), post_logout_redirect_uri: after };
  await page.goto(oidc.buildEndSessionUrl(config, { ...hinted, state: 'one' }).href);
  await page.waitForURL(`${end}?state=one`);
  expect(await isActive(first.access_token)).toBe(false);

  const second = await signIn();
  const asked = { post_logout_redirect_uri: after, state: 'two', ui_locales: 'ar' };
  await page.goto(oidc.buildEndSessionUrl(config, asked).href);
  expect(await page.locator('html').getAttribute('dir')).toBe('rtl');
  expect(await axeFaults(page)).toEqual([]);
  expect(await isActive(second.access_token)).toBe(true);
  await page.getByTestId(testIds.logOut).click();
  await page.waitForURL(`${end}?state=two`);
  expect(await isActive(second.access_token)).toBe(false);

  expect(tab.complaints).toEqual([]);
});

it('the answer by a form (form_post)', async () => {
  const { browser, config, redirectUri } = await openScene();
  await using tab = await openTab(browser, { reducedMotion: 'reduce' });
  const pkceCodeVerifier = oidc.randomPKCECodeVerifier();
  const address = oidc.buildAuthorizationUrl(config, {
    redirect_uri: redirectUri,
    scope: 'openid',
    response_mode: 'form_post',
    state: 'mine',
    code_challenge: await oidc.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
  });
  await approve(tab.page, address);
  await tab.page.waitForURL(redirectUri);
  const told = new URLSearchParams(await tab.page.locator('pre').innerText());
  const back = new URL(`${redirectUri}?${told.toString()}`);
  const checks = { pkceCodeVerifier, expectedState: 'mine' };
  const tokens = await oidc.authorizationCodeGrant(config, back, checks);
  expect(typeof tokens.claims()?.sub).toBe('string');
  expect(tab.complaints).toEqual([]);
});

it('pages of errors and of logouts load nothing from elsewhere: no font, no style', async () => {
  const { browser, config, redirectUri } = await openScene();
  const { issuer } = config.serverMetadata();
  await using tab = await openTab(browser, { reducedMotion: 'reduce' });
  const asked: string[] = [];
  tab.page.on('request', (request) => asked.push(request.url()));
  const wrong = { redirect_uri: 'https://elsewhere.example.test/', scope: 'openid' };
  const pages = [
    oidc.buildAuthorizationUrl(config, wrong),
    new URL(`${issuer}/openid/logout?client_id=nobody`),
    new URL(`${issuer}/openid/logout/success?ui_locales=en`),
  ];
  for (const { href } of pages) {
    await tab.page.goto(href);
    await tab.page.evaluate('document.fonts.ready');
  }
  const right = { redirect_uri: redirectUri, scope: 'openid', code_challenge_method: 'S256' };
  const code_challenge = await oidc.calculatePKCECodeChallenge(oidc.randomPKCECodeVerifier());
  await approve(tab.page, oidc.buildAuthorizationUrl(config, { ...right, code_challenge }));
  await tab.page.waitForURL(`${redirectUri}?*`);
  await tab.page.goto(oidc.buildEndSessionUrl(config, { ui_locales: 'en' }).href);
  await tab.page.getByTestId(testIds.logOut).click();
  await tab.page.getByRole('heading', { name: 'You are signed out' }).waitFor();
  await tab.page.evaluate('document.fonts.ready');
  expect(await axeFaults(tab.page)).toEqual([]);
  const origins = new Set(asked.map((url) => new URL(url).origin));
  expect(origins).toEqual(new Set([new URL(issuer).origin, new URL(redirectUri).origin]));
  expect(asked.some((url) => url.endsWith('.woff2'))).toBe(true);
  // What the policy of the pages keeps from loading was never asked for, and is told to the console.
  expect(tab.complaints.filter((told) => /security policy/i.test(told))).toEqual([]);
});
