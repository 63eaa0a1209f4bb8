/** The sign-in in a real browser, from the session's address to the relying party. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { testIds } from '@miftah/pages';

import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { atLength } from '../../scripts/test-length.ts';
import { axeFaults } from '../../scripts/axe.ts';
import { launchChromium, openTab } from '../../scripts/browser.ts';
import { defaultSettings } from '../src/engine/settings.ts';
import type { RelyingParty } from '../src/options.ts';
import { exchangeCall, makeApp } from './support/apps.ts';
import { RELYING_PARTY } from './support/relying-party.ts';
import { openSession } from './support/sign-in.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(async () => {
  await browser.close();
});

interface Arrival {
  readonly method: string | undefined;
  readonly state: string | null;
}

/** An application to which the browser returns, and which redirects to another origin. */
async function relyingParty() {
  const arrivals: Arrival[] = [];
  const home = createServer((_request, response) => response.end('<title>home</title>'));
  const back = createServer((request, response) => {
    const { searchParams } = new URL(request.url ?? '', 'http://relying.invalid');
    arrivals.push({ method: request.method, state: searchParams.get('state') });
    response.writeHead(303, { location: `${originOf(home)}/home` }).end();
  });
  for (const server of [home, back]) await once(server.listen(0, '127.0.0.1'), 'listening');
  const close = async () => {
    for (const server of [home, back]) {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  };
  const addresses = { returnUrl: `${originOf(back)}/return` };
  return { arrivals, addresses, [Symbol.asyncDispose]: close };
}

function originOf(server: { address(): AddressInfo | string | null }): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** The simulator on a socket. Its addresses must be known before it listens. */
async function listening(party: Partial<RelyingParty>) {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const origin = originOf(probe);
  await new Promise((resolve) => probe.close(resolve));
  const bench = makeApp({
    relyingParty: { ...RELYING_PARTY, ...party },
    engineSettings: defaultSettings(origin),
  });
  await bench.app.listen({ host: '127.0.0.1', port: Number(new URL(origin).port) });
  const close = async () => bench.app.close();
  return { ...bench, origin, [Symbol.asyncDispose]: close };
}

describe.each(atLength(['ar', 'en'], ['ar']))('in %s', (locale) => {
  it('a person approves and reaches the application, and every page is accessible', async () => {
    await using party = await relyingParty();
    await using simulator = await listening(party.addresses);
    await using tab = await openTab(browser);
    const { page: path, state } = await openSession(simulator.app, locale);

    await tab.page.goto(simulator.origin + path);
    expect(await tab.page.getAttribute('html', 'lang')).toBe(locale);
    expect(await axeFaults(tab.page)).toEqual([]);
    await tab.page.getByTestId(testIds.person('kusuma')).check();
    await tab.page.getByTestId(testIds.approve).click();
    await tab.page.waitForURL('**/home');

    expect(party.arrivals).toEqual([{ method: 'GET', state }]);
    expect(tab.complaints.filter((line) => !line.includes('favicon'))).toEqual([]);
    expect((await simulator.app.inject(exchangeCall({ state }))).statusCode).toBe(200);
  });

  it.each([testIds.refuse, testIds.notMe])('%s leads back too', async (button) => {
    await using party = await relyingParty();
    await using simulator = await listening(party.addresses);
    await using tab = await openTab(browser);
    const { page: path, state } = await openSession(simulator.app, locale);

    await tab.page.goto(simulator.origin + path);
    await tab.page.getByTestId(button).click();
    await tab.page.waitForURL('**/home');

    expect(party.arrivals).toEqual([{ method: 'GET', state }]);
    expect((await simulator.app.inject(exchangeCall({ state }))).statusCode).toBe(401);
  });
});

describe('a relying party that wants a POST', () => {
  it('gets it', async () => {
    await using party = await relyingParty();
    await using simulator = await listening({ ...party.addresses, returnMethod: 'POST' });
    await using tab = await openTab(browser);
    const { page: path } = await openSession(simulator.app);

    await tab.page.goto(simulator.origin + path);
    await tab.page.getByTestId(testIds.approve).click();
    await tab.page.waitForURL('**/home');

    expect(party.arrivals).toEqual([{ method: 'POST', state: null }]);
  });

  it('gets it from a browser without scripts too, by one button more', async () => {
    await using party = await relyingParty();
    await using simulator = await listening({ ...party.addresses, returnMethod: 'POST' });
    await using tab = await openTab(browser, { javaScriptEnabled: false });
    const { page: path } = await openSession(simulator.app);

    await tab.page.goto(simulator.origin + path);
    await tab.page.getByTestId(testIds.approve).click();
    await tab.page.waitForURL('**/authorize?*');
    await tab.page.getByTestId(testIds.continue).click();
    await tab.page.waitForURL('**/callback');
    await tab.page.getByTestId(testIds.continue).click();
    await tab.page.waitForURL('**/home');

    expect(party.arrivals).toEqual([{ method: 'POST', state: null }]);
  });
});
