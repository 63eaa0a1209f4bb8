import * as oidc from 'openid-client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { interactionPath } from '../../src/account/openid-client.ts';
import { DISCOVERY_PATH } from '../../src/openid/error-page.ts';
import { CONFIRM_PATH, SIGNED_OUT_PATH } from '../../src/openid/logout.ts';
import { PATHS } from '../../src/openid/provider.ts';
import { codesOf, readDocument, sectionOf } from '../docs/documents.ts';
import { share } from '../support/at-end.ts';
import {
  interactionOf,
  ask,
  beginIn,
  discovered,
  exchange,
  OPENID_CLIENTS,
  openidBrowser,
  openOpenid,
  openStrictOpenid,
  signedIn,
  writtenRequest,
} from '../support/openid/openid-scene.ts';
import { openTestService } from '../support/service/test-service.ts';

/** The OpenID Provider as a client sees it, in strict simulator mode: live mode's flows and rules. */

const claimsOf = (tokens: { claims: () => object | undefined }): Record<string, unknown> => ({
  ...tokens.claims(),
});

const scene = share((atEnd) => openStrictOpenid(atEnd, Object.values(OPENID_CLIENTS)));

describe('the sign-in of a standard client', () => {
  it('gives a back end the code, the tokens and the claims of its scopes', async () => {
    const scope = 'openid profile email national_id';
    const asked = await ask(scene(), { id: 'portal', isPushed: true, parameters: { scope } });
    expect(new Set(asked.url.searchParams.keys())).toEqual(new Set(['client_id', 'request_uri']));
    const before = Math.floor(Date.now() / 1000);
    const tokens = await exchange(asked, await signedIn(asked));
    const { sub = '', acr, amr, auth_time, ...others } = claimsOf(tokens);
    expect(sub).toMatch(/^[\w-]{22}$/);
    expect(acr).toBe(`${scene().origin}/acr/3`);
    expect(amr).toBeUndefined();
    expect(auth_time).toBeGreaterThanOrEqual(before);
    expect(Object.keys(others).toSorted()).toEqual(['aud', 'exp', 'iat', 'iss', 'nonce']);
    expect(tokens.refresh_token).toBeUndefined();
    expect(await oidc.fetchUserInfo(asked.config, tokens.access_token, String(sub))).toEqual({
      sub,
      name: 'Amal Salem Nasser Alnamuthaji',
      'name#ar': 'أمل سالم ناصر النموذجي',
      given_name: 'Amal',
      'given_name#ar': 'أمل',
      family_name: 'Alnamuthaji',
      'family_name#ar': 'النموذجي',
      locale: 'ar',
      gender: 'female',
      national_id: '1000001101',
      document_type: 'nin',
      nationalities: ['SA'],
    });
  });

  it('gives a public client a token signed as it has registered, and the same sub', async () => {
    const [portal, reader] = [
      await ask(scene(), { id: 'portal' }),
      await ask(scene(), { id: 'reader', parameters: { ui_locales: 'en' } }),
    ];
    const first = await exchange(portal, await signedIn(portal));
    const second = await exchange(reader, await signedIn(reader));
    expect(second.claims()?.sub).toBe(first.claims()?.sub);
    const [header = ''] = (second.id_token ?? '').split('.');
    expect(JSON.parse(Buffer.from(header, 'base64url').toString())).toMatchObject({ alg: 'ES256' });
  });

  it('asks anew at every request: there is no single sign-on', async () => {
    const browser = openidBrowser();
    const [first, second] = [
      await ask(scene(), { id: 'portal' }),
      await ask(scene(), { id: 'portal' }),
    ];
    await signedIn(first, { browser });
    expect((await beginIn(browser, second)).url.pathname).toMatch(/^\/openid\/interaction\//);
  });
});

const acr = (level: string) => `${scene().origin}/acr/${level}`;

const levels = (...values: readonly string[]) =>
  JSON.stringify({
    id_token: { acr: { essential: true, values: values.map((level) => acr(level)) } },
  });

describe('a sign-in that brings no code', () => {
  it('is access_denied when the person refuses', async () => {
    const asked = await ask(scene(), { id: 'portal' });
    const back = await signedIn(asked, { decision: 'refuse' });
    expect(back.searchParams.get('error')).toBe('access_denied');
    expect(back.searchParams.get('state')).toBe(asked.checks.expectedState);
    expect(back.searchParams.get('iss')).toBe(scene().origin);
  });

  it('is login_required for prompt=none, and nobody is asked', async () => {
    const asked = await ask(scene(), { id: 'portal', parameters: { prompt: 'none' } });
    const visit = await openidBrowser().open(asked.url);
    expect(visit.location?.searchParams.get('error')).toBe('login_required');
  });

  it('is unmet_authentication_requirements for a level that the person lacks', async () => {
    const asked = await ask(scene(), { id: 'portal', parameters: { claims: levels('4') } });
    const back = await signedIn(asked);
    expect(back.searchParams.get('error')).toBe('unmet_authentication_requirements');
  });

  it('also where acr_values asks for a level that would do, or for the same', async () => {
    for (const level of ['1', '4']) {
      const parameters = { claims: levels('4'), acr_values: acr(level) };
      const back = await signedIn(await ask(scene(), { id: 'portal', parameters }));
      expect(back.searchParams.get('error')).toBe('unmet_authentication_requirements');
    }
  });

  it('but a level below that of the person is met, and told', async () => {
    const asked = await ask(scene(), { id: 'portal', parameters: { claims: levels('1', '4') } });
    const tokens = await exchange(asked, await signedIn(asked));
    expect(claimsOf(tokens)['acr']).toBe(acr('1'));
  });

  it.each(['redirect_uri', 'client_id'])('is a page for a wrong %s, in Arabic', async (wrong) => {
    const { url } = await ask(scene(), { id: 'portal' });
    url.searchParams.set(wrong, 'https://elsewhere.example.test/cb');
    const visit = await openidBrowser().open(url);
    expect(visit.status).toBe(400);
    expect(visit.html).toContain('<html lang="ar" dir="rtl">');
  });

  it.each(['/openid/interaction/unknown', '/openid/interaction/unknown/return'])(
    'is a page for %s without its cookie',
    async (path) => {
      const visit = await openidBrowser().open(scene().origin + path);
      expect(visit.status).toBe(404);
      expect(visit.html).toContain('<html lang="ar" dir="rtl">');
    },
  );
});

const PAGE_HEADERS = [
  'cache-control',
  'content-security-policy',
  'content-type',
  'referrer-policy',
  'x-content-type-options',
];

/** The same page has another secret each time. */
async function shown(answer: Response) {
  const html = (await answer.text()).replace(/(name="secret" value=")[^"]+/, '$1');
  return { html, headers: PAGE_HEADERS.map((name) => answer.headers.get(name)) };
}

describe('the page before the sign-in', () => {
  it('is the answer to the request, as it is at its own address', async () => {
    const { url } = await ask(scene(), { id: 'portal' });
    const headers = { 'accept-language': 'en' };
    const answer = await fetch(url, { headers, redirect: 'manual' });
    const cookie = answer.headers.getSetCookie().map((one) => one.split(';', 1)[0] ?? '');
    expect([answer.status, answer.headers.get('location')]).toEqual([200, null]);
    const page = await shown(answer);
    expect(page.html).toContain('<html lang="en" dir="ltr">');
    const own = await fetch(interactionOf({ ...page, url }) ?? '', {
      headers: { ...headers, cookie: cookie.join('; ') },
    });
    expect(await shown(own)).toEqual(page);
  });

  it('is led to by a pushed request, whose address is good for a minute', async () => {
    const { url } = await ask(scene(), { id: 'portal', isPushed: true });
    const { status, location } = await openidBrowser().open(url);
    expect([status, location?.pathname]).toEqual([
      303,
      expect.stringMatching(/^\/openid\/interaction\//),
    ]);
  });

  it('changes nothing when it is looked at, and asks the provider when it is pressed', async () => {
    const asked = await ask(scene(), { id: 'portal' });
    const browser = openidBrowser();
    const attempts = async () => (await fetch(`${scene().origin}/simulator/prompts`)).text();
    const before = await attempts();
    const page = await beginIn(browser, asked);
    await browser.open(page.url);
    expect(page.html).toContain('بوابة المثال');
    expect(await attempts()).toBe(before);
    const provider = await browser.follow(await browser.press(page));
    expect(provider.url.pathname).toBe('/authservice/authorize');
  });

  it('pressed again, leads to the same sign-in', async () => {
    const asked = await ask(scene(), { id: 'portal' });
    const browser = openidBrowser();
    const page = await beginIn(browser, asked);
    const [first, second] = [await browser.press(page), await browser.press(page)];
    expect(second.location?.href).toBe(first.location?.href);
  });

  it('takes no form of another page', async () => {
    const asked = await ask(scene(), { id: 'portal' });
    const browser = openidBrowser();
    const page = await beginIn(browser, asked);
    const form = { state: 'x', secret: 'A'.repeat(43) };
    const refused = await browser.submit(page.url, form, new URL('https://evil.example.test'));
    expect(refused.status).toBe(403);
  });
});

describe('plain simulator mode', () => {
  const plain = share((atEnd) => openOpenid(atEnd));

  it.each([
    ['http://localhost:5173', 'http://localhost:5173'],
    ['https://elsewhere.example.test', null],
  ])('lets the pages of the client demo call from this machine alone: %s', async (origin, may) => {
    const body = new URLSearchParams({
      client_id: 'demo',
      grant_type: 'authorization_code',
      code: 'unknown',
    });
    const url = `${plain().origin}/openid/token`;
    const answer = await fetch(url, { method: 'POST', headers: { origin }, body });
    expect(answer.headers.get('access-control-allow-origin')).toBe(may);
    expect(await answer.json()).toMatchObject({
      error: may === null ? 'invalid_request' : 'invalid_grant',
    });
  });

  it.each([
    ['demo', oidc.None()],
    ['demo-web', oidc.ClientSecretBasic('mfk_test_demo_web')],
  ] as const)('has the client %s, at any address of this machine', async (id, auth) => {
    const config = await discovered(plain().origin, id, auth);
    const pkceCodeVerifier = oidc.randomPKCECodeVerifier();
    const redirectUri = 'http://localhost:9/any/path';
    const url = oidc.buildAuthorizationUrl(config, {
      redirect_uri: redirectUri,
      scope: 'openid',
      code_challenge: await oidc.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: 'S256',
    });
    const browser = openidBrowser();
    const page = await browser.follow(await browser.open(url));
    const signIn = await browser.follow(await browser.press(page));
    let visit = await browser.press(signIn, { decision: 'approve', person: 'siobhan' });
    while (visit.location !== null && !visit.location.href.startsWith(redirectUri)) {
      visit = await browser.open(visit.location);
    }
    const back = new URL(String(visit.location));
    const tokens = await oidc.authorizationCodeGrant(config, back, { pkceCodeVerifier });
    expect(tokens.claims()).toMatchObject({ iss: plain().origin, aud: id });
  });
});

it('on https the cookies are for secure pages alone', async () => {
  const settings = {
    OPENID: 'on',
    PROVIDER: 'simulator',
    PUBLIC_URL: 'https://login.example.test',
  };
  const { app } = await openTestService({ settings });
  const query = writtenRequest('demo', 'http://127.0.0.1:9/cb');
  const url = `/openid/authorize?${query.toString()}`;
  const answer = await app.inject({ url, headers: { host: 'login.example.test' } });
  expect(answer.statusCode).toBe(200);
  const cookies = [answer.headers['set-cookie'] ?? []].flat();
  expect(cookies).toHaveLength(2);
  for (const cookie of cookies) expect(cookie).toMatch(/^__Secure-miftah_.*; secure/);
});

it('takes its addresses from PUBLIC_URL, whatever the Host is', async () => {
  const { app } = await openTestService({ settings: { OPENID: 'on' } });
  const headers = { host: 'localhost:9' };
  const answer = await app.inject({ url: '/.well-known/openid-configuration', headers });
  expect(answer.json()).toMatchObject({ jwks_uri: 'http://127.0.0.1:3000/openid/jwks' });
  expect(answer.payload).not.toContain('localhost');
});

it('lists the claims that docs/openid.md has, and no other', async () => {
  const { app } = await openTestService({ settings: { OPENID: 'on' } });
  const { claims_supported: listed } = (
    await app.inject('/.well-known/openid-configuration')
  ).json<{ claims_supported: readonly string[] }>();
  const section = sectionOf(readDocument('docs/openid.md'), 'Claims');
  const documented = new Set(codesOf(section));
  const names = listed.map((name) => name.replace('#ar', ''));
  expect(names.filter((name) => !documented.has(name))).toEqual([]);
});

it('leaves out a scope that it does not know', async () => {
  const asked = await ask(scene(), { id: 'reader', parameters: { scope: 'openid address' } });
  expect((await exchange(asked, await signedIn(asked))).scope).toBe('openid');
});

it('says without OPENID how it is switched on', async () => {
  const { app } = await openTestService();
  const answer = await app.inject('/.well-known/openid-configuration');
  expect(answer.statusCode).toBe(404);
  expect(answer.payload).toContain('set OPENID=on');
});

it('its page before the sign-in says what is invented, in both kinds of simulator mode', async () => {
  const strict = await ask(scene(), { id: 'portal', parameters: { ui_locales: 'en' } });
  const { html } = await beginIn(openidBrowser(), strict);
  expect(html).toContain('This is a simulation.');
  expect(html).not.toContain('This is a rehearsal');
  const { origin } = await openOpenid(onTestFinished);
  const query = writtenRequest('demo', 'http://127.0.0.1:9/cb');
  const browser = openidBrowser();
  const url = `${origin}/openid/authorize?${query.toString()}&ui_locales=en`;
  const plain = await browser.follow(await browser.open(url));
  expect(plain.html).toContain('This is a simulation.');
});

it('without OPENID there is none of its routes', async () => {
  const { app } = await openTestService();
  const pages = [CONFIRM_PATH, SIGNED_OUT_PATH, interactionPath('x')];
  const paths = [DISCOVERY_PATH, ...Object.values(PATHS), `${PATHS.authorization}/x`, ...pages];
  for (const url of paths) {
    for (const method of ['GET', 'POST'] as const) {
      const { statusCode } = await app.inject({ method, url });
      expect([method, url, statusCode]).toEqual([method, url, 404]);
    }
  }
});
