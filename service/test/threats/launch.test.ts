import { describe, expect, it } from 'vitest';
import { MINUTE_MS, SECOND_MS } from '../../src/values/time.ts';
import { PersonBrowser } from '../support/live/person-browser.ts';
import type { Started } from '../support/live/live-client.ts';
import { RawConnection } from '../support/attacks/hostile/raw-connection.ts';
import { BEHIND_PROXY, somebody, times } from '../support/attacks/crowd.ts';
import { shareOpened } from '../support/live/live-service.ts';
import { codeOf, comeBack, launched, OWN_SECRET } from '../support/live/steps.ts';

const scene = shareOpened({ settings: BEHIND_PROXY });

const FORM = 'Content-Type: application/x-www-form-urlencoded';

/** The service's origin as browsers know it. */
const publicOrigin = () => scene().origin.replace('127.0.0.1', 'localhost');

async function launchIn(browser: PersonBrowser): Promise<Started> {
  const started = await scene().bank.startRedirect();
  await browser.press(await browser.open(started.authorization_url));
  return started;
}

async function expectSignedIn(browser: PersonBrowser, started: Started): Promise<void> {
  scene().provider.approve(started.attempt_id);
  expect(codeOf(await comeBack(scene(), started, browser))).toMatch(/^[\w-]{43}$/);
}

describe('threat 61: cookies of a sign-in under way are pushed out', () => {
  it.each([9, 40])('of %i sign-ins launched in one browser every one comes back', async (count) => {
    const victim = new PersonBrowser();
    const all: Started[] = [];
    for (const _ of times(count)) all.push(await launchIn(victim));
    expect(victim.cookies.size).toBe(count);
    for (const started of all) await expectSignedIn(victim, started);
  });

  it('forty launch pages opened by somebody else set nothing and take nothing away', async () => {
    const victim = new PersonBrowser();
    const started = await launchIn(victim);
    const before = [...victim.cookies];
    for (const _ of times(40)) {
      const other = await scene().bank.startRedirect();
      const page = await victim.open(other.authorization_url);
      expect([page.status, page.headers.get('set-cookie')]).toEqual([200, null]);
    }
    expect([...victim.cookies]).toEqual(before);
    await expectSignedIn(victim, started);
  });

  it('two presses of the button, at once and one after the other, are of one browser', async () => {
    const { authorization_url: address, ...started } = await scene().bank.startRedirect();
    const person = new PersonBrowser();
    const page = await person.open(address);
    const presses = await Promise.all([person.press(page), person.press(page)]);
    const again = await person.press(await person.open(address));
    expect([...presses, again].map(({ status }) => status)).toEqual([200, 200, 200]);
    await expectSignedIn(person, { authorization_url: address, ...started });
  });

  it('the secret is another one at each view, and is bound by none', async () => {
    const { authorization_url: address } = await scene().bank.startRedirect();
    const pages = await Promise.all(times(3).map(() => new PersonBrowser().open(address)));
    const secrets = pages.map(({ html }) => /name="secret" value="([\w-]{43})"/.exec(html)?.[1]);
    expect(new Set(secrets).size).toBe(3);
    expect(secrets).not.toContain(undefined);
  });

  it('the cookie lives as long as its attempt, and five minutes for the way back', async () => {
    const { authorization_url: address } = await scene().bank.startRedirect();
    const browser = new PersonBrowser();
    const page = await browser.open(address);
    scene().clock.advance(2 * MINUTE_MS + 500);
    const pressed = await browser.press(page);
    const [, maxAge] = /Max-Age=(\d+);/.exec(pressed.headers.get('set-cookie') ?? '') ?? [];
    expect(Number(maxAge)).toBe(Math.ceil((8 * MINUTE_MS - 500) / SECOND_MS));
  });
});

describe('threat 61: a sign-in whose id somebody else knows', () => {
  it('opening its page and pressing its button all the time keeps nobody from it', async () => {
    const { anybody, bank } = scene();
    const { authorization_url: address, ...started } = await bank.startRedirect();
    const other = somebody();
    const path = `/callback?state=${started.attempt_id}`;
    const body = new URLSearchParams({ state: started.attempt_id, secret: OWN_SECRET }).toString();
    const type = { 'content-type': 'application/x-www-form-urlencoded' };
    const press = { method: 'POST', body, headers: { ...type, origin: publicOrigin(), ...other } };
    for (const _ of times(25)) await anybody.get(path, other);
    expect((await anybody.get(path, other)).status).toBe(429);
    const victim = new PersonBrowser();
    const page = await victim.open(address);
    expect([page.status, (await victim.press(page)).status]).toEqual([200, 200]);
    for (const _ of times(25)) await anybody.send('/callback/launch', press);
    expect((await anybody.send('/callback/launch', press)).status).toBe(429);
    expect((await victim.press(page)).status).toBe(200);
    await expectSignedIn(victim, { authorization_url: address, ...started });
  });
});

it('threat 61: a press for an attempt that is not there is not counted under its invented id', async () => {
  const { anybody } = scene();
  const state = '01900000-0000-7000-8000-00000000abcd';
  const body = new URLSearchParams({ state, secret: OWN_SECRET }).toString();
  const headers = { 'content-type': 'application/x-www-form-urlencoded', origin: publicOrigin() };
  const answer = await anybody.send('/callback/launch', { method: 'POST', body, headers });
  expect([answer.status, answer.headers.get('ratelimit')]).toEqual([404, null]);
});

/** Posts a form with an invented secret and these headers, and then tries a real launch. */
async function forge(...headers: readonly string[]) {
  const { attempt_id: state, authorization_url: address } = await scene().bank.startRedirect();
  const body = new URLSearchParams({ state, secret: OWN_SECRET }).toString();
  const { host, port } = new URL(scene().origin);
  const head = ['POST /api/v1/callback/launch HTTP/1.1', `Host: ${host}`, FORM, ...headers];
  const length = `Content-Length: ${body.length}`;
  const bytes = `${[...head, length, 'Connection: close'].join('\r\n')}\r\n\r\n${body}`;
  const connection = new RawConnection(Number(port));
  const answer = await connection.exchange(bytes, 'POST');
  connection.close();
  const victim = new PersonBrowser();
  const own = await victim.press(await victim.open(address));
  return [answer?.status, answer?.headers.get('set-cookie'), own.status];
}

const REFUSED = [403, undefined, 200];

describe('threat 61: a launch that is no press of our own button', () => {
  it.each<[string, () => readonly string[]]>([
    ['without Origin', () => []],
    ['with Origin null', () => ['Origin: null']],
    ['of another site', () => ['Origin: https://evil.example.test']],
    ['of a sibling host', () => [`Origin: ${publicOrigin().replace('//', '//sibling.')}`]],
    ['of another port', () => ['Origin: http://localhost:1']],
    ['of another scheme', () => [`Origin: ${publicOrigin().replace('http:', 'https:')}`]],
    ['of another name of this service', () => [`Origin: ${scene().origin}`]],
    ['with the right Origin beside another', () => [`Origin: ${publicOrigin()}`, 'Origin: null']],
    [
      'of another site, as Sec-Fetch-Site tells it',
      () => [`Origin: ${publicOrigin()}`, 'Sec-Fetch-Site: cross-site'],
    ],
    [
      'of the same site, as Sec-Fetch-Site tells it',
      () => [`Origin: ${publicOrigin()}`, 'Sec-Fetch-Site: same-site'],
    ],
    ['without Origin, opened by hand', () => ['Sec-Fetch-Site: none']],
    ['without Origin, of ours as Sec-Fetch-Site tells it', () => ['Sec-Fetch-Site: same-origin']],
  ])('%s is refused, and binds nothing', async (_, headersOf) => {
    expect(await forge(...headersOf())).toEqual(REFUSED);
  });

  it.each([[], ['Sec-Fetch-Site: same-origin']])(
    'one of our own origin is taken, so that the table says something: %s',
    async (...more) => {
      const own = [`Origin: ${publicOrigin()}`, ...more];
      expect(await forge(...own)).toEqual([
        200,
        expect.stringContaining(OWN_SECRET.toLowerCase()),
        403,
      ]);
    },
  );

  it('the secret of the form does not replace that of the browser', async () => {
    const started = await scene().bank.startRedirect();
    const browser = await launched(started);
    const cookies = [...browser.cookies];
    const action = `${publicOrigin()}/api/v1/callback/launch`;
    const form = { state: started.attempt_id, secret: OWN_SECRET };
    expect((await browser.submit(action, form)).status).toBe(200);
    expect([...browser.cookies]).toEqual(cookies);
  });

  it.each(['', 'short', `${OWN_SECRET}A`, `${OWN_SECRET.slice(1)}=`, '%20'.repeat(43)])(
    'the secret %j is none',
    async (secret) => {
      const { attempt_id: state } = await scene().bank.startRedirect();
      const action = `${publicOrigin()}/api/v1/callback/launch`;
      const answer = await new PersonBrowser().submit(action, { state, secret });
      expect([answer.status, answer.headers.get('set-cookie')]).toEqual([422, null]);
    },
  );
});
