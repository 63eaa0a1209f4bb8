import { describe, expect, it } from 'vitest';
import { ledTo } from '../support/led-to.ts';
import { CLIENTS } from '../support/live/rehearsal.ts';
import { shareUnmoved } from '../support/live/live-service.ts';
import { comeBack, launched, returnUrl } from '../support/live/steps.ts';
import type { Answer } from '../support/live/live-client.ts';
import { withoutRequestId } from '../support/without-request-id.ts';

const scene = shareUnmoved();

const EVIL = [
  'https://evil.example.test/return',
  '//evil.example.test',
  '///evil.example.test',
  '/\\evil.example.test',
  '\\\\evil.example.test',
  'https:evil.example.test',
  'https:/evil.example.test',
  'http://bank.example.test/return',
  'https://bank.example.test/return/',
  'https://bank.example.test/return?x=1',
  'https://bank.example.test/return#x',
  'https://bank.example.test/return/../evil',
  'https://bank.example.test:443/return',
  'https://bank.example.test:8443/return',
  'HTTPS://BANK.EXAMPLE.TEST/return',
  'https://bank.example.test@evil.example.test/return',
  'https://evil@bank.example.test/return',
  'https://bank.example.test.evil.example.test/return',
  'https://bank.example.test%2eevil.example.test/return',
  ' https://bank.example.test/return',
  'https://bank.example.test/return\r\nSet-Cookie: a=b',
  'https://bank.example.test/return%0d%0aSet-Cookie:%20a=b',
  '%2f%2fevil.example.test',
  'javascript:alert(1)',
  'data:text/html,x',
  'https://shop.example.test/return',
  'https://clinic.example.test/return',
  'https://bank.example.test/other',
  '',
] as const;

const [FIRST = '', SECOND = ''] = CLIENTS.bank.return_addresses;

const sharedOf = ({ text, headers }: Answer) => withoutRequestId(text, headers.get('x-request-id'));

describe('threat 26: open redirects', () => {
  it.each(EVIL)('as the return address: %j', async (address) => {
    const { bank, provider } = scene();
    const before = provider.received('session').length;
    const answer = await bank.start({ return_address: address });
    expect([answer.status, answer.code]).toEqual([422, 'validation.failed']);
    expect(answer.text).not.toContain('evil');
    expect(provider.received('session').length).toBe(before);
  });

  it('as a member that nobody asked for', async () => {
    const { bank } = scene();
    for (const name of ['redirect_to', 'return_url', 'redirect_uri', 'base_url', 'next']) {
      const answer = await bank.start({ [name]: EVIL[0] });
      expect([name, answer.status]).toEqual([name, 422]);
    }
  });

  it('an address of the client’s own is taken as it is', async () => {
    const { bank, provider } = scene();
    for (const own of [FIRST, SECOND]) {
      const started = await bank.startRedirect({ return_address: own });
      const browser = await launched(started);
      provider.approve(started.attempt_id);
      const { location } = await comeBack(scene(), started, browser);
      expect(location?.href.startsWith(own)).toBe(true);
    }
  });

  it('in the query of the launch and of the return: Location stays what it was', async () => {
    const { bank, provider } = scene();
    const started = await bank.startRedirect();
    const browser = await launched(started);
    provider.approve(started.attempt_id);
    // A browser may return 20 times per minute.
    for (const address of EVIL.slice(0, 15)) {
      const url = new URL(returnUrl(scene(), started));
      for (const name of ['redirect_to', 'return_address', 'next']) {
        url.searchParams.set(name, address);
      }
      const { location } = await browser.open(url);
      expect(`${location?.origin}${location?.pathname}`).toBe(FIRST);
    }
  });

  it('as the state: no page, no way on, nothing of it on the page', async () => {
    const { anybody } = scene();
    const pages = await Promise.all(
      EVIL.map((address) => anybody.get(`/callback?${new URLSearchParams({ state: address })}`)),
    );
    expect(new Set(pages.map(({ status }) => status))).toEqual(new Set([404]));
    expect(pages.map(({ headers }) => headers.get('location')).filter(Boolean)).toEqual([]);
    const shown = new Set(pages.map(sharedOf));
    expect(shown.size).toBe(1);
    const twice = await anybody.get('/callback?state=a&state=b');
    expect([twice.status, sharedOf(twice)]).toEqual([404, [...shown][0]]);
  });

  it('as the state of a posted form: it goes to our own address only', async () => {
    const { anybody, origin } = scene();
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const own = origin.replace('127.0.0.1', 'localhost');
    for (const address of EVIL) {
      const body = new URLSearchParams({ state: address, redirect_to: address }).toString();
      const answer = await anybody.send('/callback', { method: 'POST', headers, body });
      const location = new URL(ledTo(Object.fromEntries(answer.headers)) ?? '');
      expect(location.origin + location.pathname).toBe(`${own}/api/v1/callback`);
      expect([...location.searchParams]).toEqual([['state', address]]);
      expect(answer.headers.get('set-cookie')).toBeNull();
    }
  });

  it('a code in the fragment is in no query', async () => {
    const { clinic, provider } = scene();
    const started = await clinic.startRedirect();
    const browser = await launched(started);
    provider.approve(started.attempt_id);
    const { location } = await comeBack(scene(), started, browser);
    expect(location?.search).toBe('');
    const members = new URLSearchParams(location?.hash.slice(1));
    expect([...members.keys()]).toEqual(['attempt_id', 'completion_code']);
    const code = { completion_code: members.get('completion_code') };
    expect((await clinic.redeem(started, code)).status).toBe(200);
  });
});

describe('what a provider answers to a session', () => {
  it.each([
    ['another origin', (url: string) => url.replace('authorize.example', 'evil.example')],
    ['plain http', (url: string) => url.replace('https:', 'http:')],
    ['a script', () => 'javascript:alert(1)'],
    ['a line end', (url: string) => `${url}\r\nSet-Cookie: a=b`],
    ['a name before the host', (url: string) => url.replace('https://', 'https://evil@')],
    ['another path', (url: string) => url.replace('/authservice/authorize', '/evil')],
    ['two states', (url: string) => `${url}&state=evil`],
  ])('with %s is refused at the start', async (_, change) => {
    const { bank, provider } = scene();
    provider.answer('session', (call, response) => {
      const answer = provider.openSession(call);
      const body = JSON.stringify({ ...answer, url: change(answer.url) });
      response.writeHead(200, { 'content-type': 'application/json' }).end(body);
    });
    const answer = await bank.start({});
    expect([answer.status, answer.code]).toEqual([502, 'provider.bad_response']);
    expect(answer.text).not.toMatch(/evil|attempt_token/);
  });
});

it('threat 114: a refusal tells the addresses of an application to its key alone', async () => {
  const { anybody, bank } = scene();
  const wanted = { return_address: EVIL[0] };
  const [shown, hidden] = [await bank.start(wanted), await anybody.start(wanted)];
  expect(shown.text).toContain(FIRST);
  for (const other of ['shop.example.test', 'clinic.example.test']) {
    expect(shown.text).not.toContain(other);
  }
  expect([hidden.status, hidden.code]).toEqual([422, 'validation.failed']);
  expect(hidden.text).toContain('CLIENTS_FILE');
  expect(hidden.text).not.toContain('example.test');
});
