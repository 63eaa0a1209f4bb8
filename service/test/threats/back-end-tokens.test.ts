import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createClient, MiftahError, type Login } from '@miftah/client';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchChromium, openTab } from '../../../scripts/browser.ts';
import { writeClientsFile } from '../../../scripts/rehearsal.ts';
import { share, temporaryFolder, type AtEnd } from '../support/at-end.ts';
import { clientOf } from '../support/client/client-for-test.ts';
import { simulate } from '../support/client/web-example.ts';
import { BANK_KEY, CLIENTS, SHOP_KEY } from '../support/live/rehearsal.ts';
import { openRehearsal } from '../support/live/shared-rehearsal.ts';

/** Attacks on `login.accept` of the client: a page that calls a back end with an API token. */

const APPROVES_AT_ONCE = '1900000001';

let browser: Browser;
beforeAll(async () => void (browser = await launchChromium()));
afterAll(async () => browser.close());

type Origin = { readonly origin: string };

async function simulated(settings: Record<string, string>, atEnd: AtEnd): Promise<Origin> {
  const file = writeClientsFile(temporaryFolder('clients', atEnd), Object.values(CLIENTS));
  const { provider } = await simulate({ ...settings, CLIENTS_FILE: file }, atEnd);
  return { origin: provider };
}

async function rehearsed(atEnd: AtEnd): Promise<Origin> {
  const rehearsal = await openRehearsal();
  atEnd(async () => rehearsal[Symbol.asyncDispose]());
  return rehearsal.service;
}

const MODES: readonly (readonly [name: string, open: (atEnd: AtEnd) => Promise<Origin>])[] = [
  ['simulator mode', (atEnd) => simulated({}, atEnd)],
  ['strict mode', (atEnd) => simulated({ STRICT: 'yes' }, atEnd)],
  ['the rehearsal of live mode', rehearsed],
];

/** The back end of the bank, whose page brings a token with each call. */
async function openBank(service: Origin, atEnd: AtEnd): Promise<Origin> {
  const baseUrl = `${service.origin}/api/v1`;
  const login = createClient({ baseUrl, clientKey: BANK_KEY }).createLogin(new Map());
  const server = createServer((request, response) => {
    const [, token = ''] = /^Bearer (.+)$/.exec(request.headers.authorization ?? '') ?? [];
    if (request.url === '/account') {
      void accountOf(login, token).then((text) => response.end(text));
    } else {
      response.setHeader('content-type', 'text/html');
      response.end('<!doctype html><title>Bank</title><link rel="icon" href="data:,">');
    }
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  atEnd(() => {
    server.closeAllConnections();
    server.close();
  });
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

async function accountOf(login: Login, token: string): Promise<string> {
  try {
    return `account of ${(await login.accept(token)).clientId}`;
  } catch (error) {
    return error instanceof MiftahError ? error.code : String(error);
  }
}

/** @returns an API token that the person has given to the application with this key */
async function tokenFor(service: Origin, clientKey: string): Promise<string> {
  const attempt = await clientOf(service, { clientKey }).start({
    locale: 'en',
    nationalId: APPROVES_AT_ONCE,
  });
  await attempt.waitForResult();
  return (await attempt.issueToken()).token;
}

describe.each(MODES)('a back end in %s', (_, open) => {
  const opened = share(async (atEnd) => {
    const service = await open(atEnd);
    return { service, bank: await openBank(service, atEnd) };
  });

  it('threat 62: a page that brings a token of another application is refused', async () => {
    const { service, bank } = opened();
    await using tab = await openTab(browser);
    await tab.page.goto(bank.origin);
    const accountWith = (token: string) =>
      tab.page.evaluate(
        async (authorization) => (await fetch('/account', { headers: { authorization } })).text(),
        `Bearer ${token}`,
      );
    expect(await accountWith(await tokenFor(service, SHOP_KEY))).toBe('token.invalid');
    expect(await accountWith('mft_test_forged')).toBe('token.invalid');
    expect(await accountWith(await tokenFor(service, BANK_KEY))).toBe('account of bank');
  });
});
