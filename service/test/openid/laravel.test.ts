import { decodeJwt, decodeProtectedHeader, exportJWK, generateKeyPair, SignJWT } from 'jose';
import { beforeEach, describe, expect, it } from 'vitest';
import { hasTools } from '../../../scripts/debian.mjs';
import { share } from '../support/at-end.ts';
import { PersonBrowser, type Visit } from '../support/live/person-browser.ts';
import { startLaravel } from '../support/openid/laravel/application.ts';
import {
  HONEST,
  LyingProxy,
  type Lie,
  type Members,
} from '../support/openid/laravel/lying-proxy.ts';
import { openStrictOpenid } from '../support/openid/openid-scene.ts';
import { clientEntry, IN_OTHER_LANGUAGES, triedClients } from '../support/openid/tried-client.ts';
import { findFreePort } from '../support/programs/service-process.ts';

/**
 * The provider for Socialite of examples/laravel, under Debian's Laravel, with a double of the
 * classes of Socialite that it extends: `npm run test:clients`.
 */

const client = triedClients(IN_OTHER_LANGUAGES).find(({ library }) => library === 'Laravel');
if (client === undefined) throw new Error('docs/openid.md does not have it');

const NOBODY = '<p role="status"></p>';
const AMAL = 'Amal Salem Nasser Alnamuthaji';
const NOT_BEGUN = 'This browser has not begun this sign-in.';

const { publicKey, privateKey } = await generateKeyPair('RS256', { extractable: true });
const other = await generateKeyPair('RS256', { extractable: true });

/** The claims of the provider with some changes, signed again. */
async function signedAgain(token: unknown, changes: Members, kid: string): Promise<string> {
  const claims = { ...decodeJwt(String(token)), ...changes };
  return new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid }).sign(privateKey);
}

const PUBLISHED = Promise.all(
  Object.entries({ other: other.publicKey, own: publicKey }).map(async ([kid, key]) => ({
    ...(await exportJWK(key)),
    kid,
  })),
);

/** An answer with a token that is rightly signed, by a key that the provider is said to have. */
const claiming =
  (changes: Members): Lie =>
  async (path, answer) => {
    if (path === '/openid/jwks') return { keys: await PUBLISHED };
    if (path !== '/openid/token') return answer;
    return { ...answer, id_token: await signedAgain(answer['id_token'], changes, 'own') };
  };

const instead =
  (asked: string, change: (answer: Members) => Members | Promise<Members>): Lie =>
  async (path, answer) =>
    path === asked ? { ...answer, ...(await change(answer)) } : answer;

const kidOf = (token: unknown) => String(decodeProtectedHeader(String(token)).kid);

function unsigned(token: unknown): string {
  const head = Buffer.from(JSON.stringify({ alg: 'none', kid: kidOf(token) }));
  return `${head.toString('base64url')}.${String(token).split('.')[1]}.`;
}

const LIES: Readonly<Record<string, Lie>> = {
  'an ID token that another key has signed': instead(
    '/openid/token',
    async ({ id_token: token }) => ({
      id_token: await signedAgain(token, {}, kidOf(token)),
    }),
  ),
  'an ID token of a key that nobody has published': instead('/openid/token', async (answer) => ({
    id_token: await signedAgain(answer['id_token'], {}, 'own'),
  })),
  'an ID token without a signature': instead('/openid/token', ({ id_token: token }) => ({
    id_token: unsigned(token),
  })),
  'no ID token': instead('/openid/token', () => ({ id_token: null })),
  'the ID token of another issuer': claiming({ iss: 'https://other.example' }),
  'the ID token of another application': claiming({ aud: 'other' }),
  'the ID token of another sign-in': claiming({ nonce: 'other' }),
  'an ID token that is over': claiming({ exp: 1_700_000_000 }),
  'an ID token of the future': claiming({ iat: 4_000_000_000 }),
  'the claims of somebody else': instead('/openid/userinfo', () => ({ sub: 'somebody' })),
  'endpoints of another issuer': instead('/.well-known/openid-configuration', () => ({
    issuer: 'https://other.example',
  })),
};

const nobody = () => new PersonBrowser(() => undefined);

describe('Laravel with Socialite', { skip: !hasTools('openid') }, () => {
  const scene = share(async (atEnd) => {
    const issuer = `http://127.0.0.1:${await findFreePort()}`;
    const place = { issuer, port: await findFreePort(), clientId: 'laravel' };
    const { port } = new URL(issuer);
    await openStrictOpenid(atEnd, [clientEntry(client, place)], { PORT: port });
    const proxy = new LyingProxy();
    const origin = await startLaravel(atEnd, { client, place, proxy: await proxy.open(atEnd) });
    return { proxy, origin };
  });
  beforeEach(() => {
    scene().proxy.lie = HONEST;
  });

  const home = async (browser: PersonBrowser) => (await browser.open(scene().origin)).html;
  const begin = async (browser: PersonBrowser) => browser.press(await browser.open(scene().origin));

  /** @returns where the provider leads the browser back to */
  async function decided(browser: PersonBrowser, decision = 'approve'): Promise<URL> {
    const page = await browser.follow(await begin(browser));
    const signIn = await browser.follow(await browser.press(page));
    let visit: Visit = await browser.press(signIn, { decision, person: 'amal' });
    while (visit.location?.pathname !== '/sign-in/return') {
      visit = await (visit.location === null ? browser.press(visit) : browser.open(visit.location));
    }
    return new URL(visit.location.pathname + visit.location.search, scene().origin);
  }

  it('asks with state, nonce and PKCE, each new', async () => {
    const asked = await Promise.all([nobody(), nobody()].map(begin));
    const parameters = asked.map(({ location }) => location?.searchParams);
    for (const one of parameters) {
      expect(one?.get('code_challenge_method')).toBe('S256');
      expect(one?.get('scope')).toBe('openid profile');
    }
    for (const name of ['state', 'nonce', 'code_challenge']) {
      const values = parameters.map((one) => one?.get(name) ?? '');
      expect(values.every((value) => value.length >= 40)).toBe(true);
      expect(new Set(values).size).toBe(2);
    }
  });

  it('signs somebody in, once, in a session with a new id', async () => {
    const browser = nobody();
    const returned = await decided(browser);
    const before = nobody();
    for (const [name, value] of browser.cookies) before.cookies.set(name, value);
    expect((await browser.open(returned)).status).toBe(302);
    expect(await home(browser)).toContain(AMAL);
    expect(await home(before)).toContain(NOBODY);
    const again = await browser.open(returned);
    expect((await browser.follow(again)).html).toContain(NOT_BEGUN);
  });

  it('says that somebody has refused', async () => {
    const browser = nobody();
    const visit = await browser.open(await decided(browser, 'refuse'));
    expect((await browser.follow(visit)).html).toContain('You have refused');
  });

  it.each<[string, (returned: URL) => void, boolean]>([
    ['another browser', () => undefined, true],
    ['another state', ({ searchParams }) => searchParams.set('state', 'other'), false],
    ['no state', ({ searchParams }) => searchParams.delete('state'), false],
    ['another issuer', ({ searchParams }) => searchParams.set('iss', 'https://o.example'), false],
    ['no issuer', ({ searchParams }) => searchParams.delete('iss'), false],
  ])('takes no return with %s', async (_, change, isElsewhere) => {
    const browser = nobody();
    const returned = await decided(browser);
    change(returned);
    const there = isElsewhere ? nobody() : browser;
    expect((await there.follow(await there.open(returned))).html).toContain(NOT_BEGUN);
    expect(await home(there)).toContain(NOBODY);
  });

  it('takes an ID token that these tests have signed, so that the others are lies', async () => {
    scene().proxy.lie = claiming({});
    const browser = nobody();
    await browser.open(await decided(browser));
    expect(await home(browser)).toContain(AMAL);
  });

  it.each(Object.entries(LIES))('signs nobody in by %s', async (_, lie) => {
    const browser = nobody();
    const returned = await decided(browser);
    scene().proxy.lie = lie;
    expect((await browser.open(returned)).status).toBe(500);
    expect(await home(browser)).toContain(NOBODY);
  });
});
