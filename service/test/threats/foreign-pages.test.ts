import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchChromium, openTab } from '../../../scripts/browser.ts';
import { LiveClient } from '../support/live/live-client.ts';
import { BANK_KEY, SHOP_KEY } from '../support/live/rehearsal.ts';
import { openRehearsal, type OpenedRehearsal } from '../support/live/shared-rehearsal.ts';

/** More requests than one address may send in a minute. */
const POSTS = 50;

let browser: Browser;
let rehearsal: OpenedRehearsal;
/** Serves an empty page on any path: `localhost` is a foreign origin, `127.0.0.1` a listed one. */
let elsewhere: Server;

beforeAll(async () => {
  elsewhere = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html>');
  });
  await once(elsewhere.listen(0, '127.0.0.1'), 'listening');
  const settings = { CORS_ORIGINS: pageOf('127.0.0.1') };
  [browser, rehearsal] = await Promise.all([launchChromium(), openRehearsal({ settings })]);
});
afterAll(async () => {
  elsewhere.closeAllConnections();
  elsewhere.close();
  await Promise.all([browser.close(), rehearsal[Symbol.asyncDispose]()]);
});

function pageOf(name: string): string {
  const { port } = elsewhere.address() as AddressInfo;
  return `http://${name}:${port}`;
}

const api = (path: string) => `${rehearsal.origins.service}/api/v1${path}`;

/** A page's script that sends many posts whose answers it may not read. */
function floodOf(address: string): string {
  return `Promise.all(Array.from({ length: ${POSTS} }, () =>
    fetch('${address}', { method: 'POST', mode: 'no-cors', body: '{}' }).then(() => 'sent')))`;
}

describe("threat 68: a foreign page and its visitor's limits", () => {
  it('fifty posts of it leave the next start its place', async () => {
    await using tab = await openTab(browser);
    await tab.page.goto(pageOf('localhost'));
    expect(await tab.page.evaluate(floodOf(api('/start')))).toHaveLength(POSTS);
    const shop = new LiveClient(rehearsal, SHOP_KEY);
    expect((await shop.start({})).status).toBe(200);
  });

  it('it is refused by name, on each operation, and nothing is counted', async () => {
    const bank = new LiveClient(rehearsal, BANK_KEY);
    const origin = { origin: pageOf('localhost') };
    const answers = [
      await bank.start({}, origin),
      await bank.start({}, { origin: 'null' }),
      await bank.get('/user', { 'sec-fetch-site': 'cross-site' }),
      await bank.get('/user', { 'sec-fetch-site': 'same-site' }),
      await bank.post('/token/nobody', {}, origin),
      await bank.post('/complete-mfa', {}, origin),
    ];
    for (const { status, code, headers } of answers) {
      expect([status, code]).toEqual([403, 'origin.refused']);
      expect(headers.has('ratelimit')).toBe(false);
    }
  });

  it('a listed page uses the service as before', async () => {
    await using tab = await openTab(browser);
    await tab.page.goto(pageOf('127.0.0.1'));
    const asked = `fetch('${api('/start')}', {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer ${SHOP_KEY}' },
      body: '{"locale":"en"}',
    }).then((answer) => answer.status)`;
    expect(await tab.page.evaluate(asked)).toBe(200);
  });

  it("a form of another origin, as the provider's, still brings the browser back", async () => {
    await using tab = await openTab(browser);
    await tab.page.goto(pageOf('localhost'));
    await tab.page.setContent(`<form method=post action="${api('/callback')}">
      <input name=state value=nobodys><button>go</button></form>`);
    await tab.page.click('button');
    await tab.page.waitForURL(api('/callback?state=nobodys'));
    expect(tab.complaints.join('\n')).toContain('callback?state=nobodys: 404');
  });
});
