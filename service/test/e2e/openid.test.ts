import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import process from 'node:process';
import * as streams from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { testIds } from '@miftah/pages';
import * as oidc from 'openid-client';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { axeFaults } from '../../../scripts/axe.ts';
import { launchChromium, openTab } from '../../../scripts/browser.ts';
import type { Environment } from '../../../scripts/rehearsal.ts';
import { atLength } from '../../../scripts/test-length.ts';
import { temporaryFolder } from '../support/at-end.ts';
import { planRehearsal } from '../support/live/rehearsal.ts';
import { openRehearsal } from '../support/live/shared-rehearsal.ts';
import { discovered } from '../support/openid/openid-scene.ts';
import { findFreePort } from '../support/programs/service-process.ts';
import { openListening } from '../support/service/listening-service.ts';

/** A standard client, unchanged and by configuration alone, in a real browser. */

const KEY = 'mfk_portal_0123456789abcdef';
const SCOPE = 'openid profile email national_id';

let browser: Browser;

beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser.close());

/** An application's page, to which the browser comes back, and another host of it. */
async function openApplication() {
  const server = createServer((request, response) => {
    const { port } = server.address() as AddressInfo;
    const { url = '' } = request;
    if (url.startsWith('/onward')) {
      response.writeHead(303, { location: `http://localhost:${port}/end` }).end();
      return;
    }
    response.setHeader('content-type', 'text/html').end('<h1>signed in</h1>');
  }).listen(0);
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/cb`;
}

interface Client {
  readonly issuer: string;
  readonly id: string;
  readonly auth: oidc.ClientAuth;
  readonly redirectUri: string;
  /** What the person does on the page before the sign-in, up to the application. */
  readonly signIn?: (page: Page) => Promise<void>;
  readonly hint?: Record<string, string>;
}

async function inBrowser(page: Page): Promise<void> {
  await page.getByTestId(testIds.launch).click();
  await page.getByTestId(testIds.person('siobhan')).check();
  await page.getByTestId(testIds.approve).click();
}

/** @returns all that is told of the person, and every secret on the way */
async function signInByChromium({
  issuer,
  id,
  auth,
  redirectUri,
  signIn = inBrowser,
  hint = {},
}: Client) {
  const config = await discovered(issuer, id, auth);
  const [pkceCodeVerifier, expectedNonce, expectedState] = [
    oidc.randomPKCECodeVerifier(),
    oidc.randomNonce(),
    oidc.randomState(),
  ];
  const address = await oidc.buildAuthorizationUrlWithPAR(config, {
    redirect_uri: redirectUri,
    scope: SCOPE,
    code_challenge: await oidc.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
    nonce: expectedNonce,
    state: expectedState,
    ui_locales: 'en',
    ...hint,
  });
  await using tab = await openTab(browser, { reducedMotion: 'reduce' });
  await tab.page.goto(address.href);
  expect(await axeFaults(tab.page)).toEqual([]);
  const uid = new URL(tab.page.url()).pathname.split('/').at(-1) ?? '';
  await signIn(tab.page);
  await tab.page.waitForURL(`${redirectUri}?*`);
  expect(tab.complaints).toEqual([]);
  const back = new URL(tab.page.url());
  const checks = { pkceCodeVerifier, expectedNonce, expectedState };
  const tokens = await oidc.authorizationCodeGrant(config, back, checks);
  const { sub = '', amr } = { ...tokens.claims() };
  const told = await oidc.fetchUserInfo(config, tokens.access_token, sub);
  const code = back.searchParams.get('code') ?? '';
  const requestUri = address.searchParams.get('request_uri') ?? '';
  return {
    told,
    amr,
    secrets: [uid, code, requestUri, tokens.access_token, expectedNonce, expectedState],
  };
}

it('the client of plain simulator mode', async () => {
  const { origin } = await openListening({ settings: { OPENID: 'on' } });
  const auth = oidc.ClientSecretBasic('mfk_test_demo_web');
  const redirectUri = await openApplication();
  const by = { issuer: origin, id: 'demo-web', auth, redirectUri };
  const { told, amr } = await signInByChromium(by);
  expect(amr).toBeUndefined();
  expect(told).toMatchObject({ given_name: 'Siobhán' });
});

it('a client that names whose phone is asked', async () => {
  const { origin } = await openListening({ settings: { OPENID: 'on' } });
  const auth = oidc.ClientSecretBasic('mfk_test_demo_web');
  const redirectUri = await openApplication();
  const onPhone = async (page: Page) => {
    await page.getByTestId(testIds.launch).click();
    const shown = page.getByTestId(testIds.pushNumber);
    await shown.waitFor();
    expect(await axeFaults(page)).toEqual([]);
    await page.getByTestId(testIds.language).click();
    await expect.poll(() => page.locator('html').getAttribute('dir')).toBe('rtl');
    const number = (await shown.textContent()) ?? '';
    await using phone = await openTab(browser);
    await phone.page.goto(`${origin}/simulator/phone`);
    await phone.page.getByTestId(testIds.number(number.trim())).click();
    await page.waitForURL(`${redirectUri}?*`);
  };
  const hint = { login_hint: '1000001101' };
  const client = { issuer: origin, id: 'demo-web', auth, redirectUri, signIn: onPhone, hint };
  expect(await signInByChromium(client)).toMatchObject({
    told: { national_id: '1000001101' },
    amr: ['mca'],
  });
});

const PORTAL = {
  id: 'portal',
  name: { ar: 'بوابة المثال', en: 'Example Portal' },
  type: 'confidential',
  return_addresses: [],
  keys: [KEY],
} as const;

it('a client in live mode, whose files give nothing away', async () => {
  const redirectUri = await openApplication();
  const portal = { ...PORTAL, openid: { redirect_uris: [redirectUri], scope: SCOPE } };
  const settings = { OPENID: 'on' };
  await using rehearsal = await openRehearsal({ clients: [portal], settings });
  const { dataDir } = rehearsal.service;
  const auth = oidc.ClientSecretBasic(KEY);
  const client = { issuer: rehearsal.origins.service, id: 'portal', auth, redirectUri };
  const { told, secrets } = await signInByChromium(client);
  expect(told).toMatchObject({ given_name: 'Siobhán' });

  const files = readdirSync(dataDir).filter((name) => name.startsWith('miftah.db'));
  expect(files).not.toEqual([]);
  const stolen = Buffer.concat(files.map((name) => readFileSync(join(dataDir, name))));
  const { national_id: number, name: english, 'name#ar': arabic } = told;
  const hidden = [...secrets, number, english, arabic, redirectUri, '"kty"', '"d":'].map(String);
  const content = stolen.toString('latin1');
  const inFile = (text: string) => content.includes(Buffer.from(text).toString('latin1'));
  expect(hidden.filter(inFile)).toEqual([]);
  expect(inFile('openid_records')).toBe(true);
});

it('no policy of a page blocks a redirect on the way, which goes over four hosts', async () => {
  const redirectUri = (await openApplication()).replace('/cb', '/onward');
  const openid = { redirect_uris: [redirectUri], scope: SCOPE };
  await using rehearsal = await openRehearsal({
    clients: [{ ...PORTAL, openid }],
    settings: { OPENID: 'on' },
  });
  const { service, simulator } = rehearsal.origins;
  expect(service).not.toBe(simulator);
  await using tab = await openTab(browser, { reducedMotion: 'reduce' });
  const asked = new URLSearchParams({
    client_id: 'portal',
    response_type: 'code',
    scope: 'openid',
    redirect_uri: redirectUri,
    code_challenge: await oidc.calculatePKCECodeChallenge(oidc.randomPKCECodeVerifier()),
    code_challenge_method: 'S256',
  });
  await tab.page.goto(`${service}/openid/authorize?${asked.toString()}`);
  await inBrowser(tab.page);
  await tab.page.waitForURL(/^http:\/\/localhost:\d+\/end$/);
  expect(tab.complaints).toEqual([]);
});

/** What a service loads, up to its answer to a request for discovery, which has this status. */
async function loadedBy(settings: Environment) {
  const listing = `
    import { registerHooks } from 'node:module';
    const tell = (url) => process.stderr.write(url + '\\n');
    registerHooks({ load: (url, context, next) => (tell(url), next(url, context)) });
  `;
  const hook = `data:text/javascript,${encodeURIComponent(listing)}`;
  const main = fileURLToPath(new URL('../../start.mjs', import.meta.url));
  const { PORT: port = String(await findFreePort()) } = settings;
  const service = spawn(process.execPath, ['--import', hook, main], {
    env: { PORT: port, DATA_DIR: temporaryFolder('openid-loads'), ...settings },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  onTestFinished(() => void service.kill());
  const said = streams.text(service.stderr);
  const origin = `http://127.0.0.1:${port}`;
  const isUp = () =>
    fetch(`${origin}/livez`).then(
      ({ ok }) => ok,
      () => false,
    );
  await expect.poll(isUp).toBe(true);
  const { status } = await fetch(`${origin}/.well-known/openid-configuration`);
  service.kill();
  return { status, loaded: (await said).split('\n') };
}

const ofOpenid = (urls: readonly string[]) =>
  urls.filter((url) => /node_modules\/(?:oidc-provider|koa)\/|src\/openid\//.test(url));

const MODES: readonly (readonly [mode: string, of: () => Promise<Environment>])[] = [
  [
    'live',
    async () => {
      const { settings, end } = await planRehearsal({});
      onTestFinished(end);
      return settings;
    },
  ],
  ['strict', async () => ({ STRICT: 'yes' })],
  ['simulator', async () => ({})],
];

it.each(atLength(MODES, MODES.slice(0, 1)))(
  'a service without OPENID loads nothing of it: %s',
  async (_, of) => {
    const settings = await of();
    const off = await loadedBy({ ...settings, OPENID: 'off' });
    expect([off.status, ofOpenid(off.loaded)]).toEqual([404, []]);
    const { status, loaded } = await loadedBy({ ...settings, OPENID: 'on' });
    expect(status).toBe(200);
    expect(ofOpenid(loaded)).not.toEqual([]);
    // Nor does the library warn of the Node that it runs on.
    expect(loaded.filter((line) => /Unsupported runtime|Warning: /.test(line))).toEqual([]);
  },
);
