import { createRemoteJWKSet, jwtVerify } from 'jose';
import * as oidc from 'openid-client';
import { describe, expect, it } from 'vitest';
import { share } from '../support/at-end.ts';
import { signInOf } from '../support/openid/demo-sign-in.ts';
import {
  interactionOf,
  openidBrowser,
  openOpenid,
  writtenRequest,
} from '../support/openid/openid-scene.ts';

/** What a request may have, as the conformance suite asks it (docs/conformance.md). */

const scene = share((atEnd) => openOpenid(atEnd));
const CB = 'http://localhost:9/cb';

async function tokensOf(parameters: Record<string, string> = {}) {
  const { config, back, verifier } = await signInOf(scene().origin, { parameters });
  const tokens = await oidc.authorizationCodeGrant(config, back, { pkceCodeVerifier: verifier });
  return { config, tokens };
}

describe('a request to sign in succeeds', () => {
  it.each([
    ['without a nonce', {}],
    ['with its scopes in another order', { scope: 'profile openid' }],
    ['with all scopes', { scope: 'openid profile email address phone' }],
    ['with display=page', { display: 'page' }],
    ['with display=popup', { display: 'popup' }],
    ['with prompt=login', { prompt: 'login' }],
    ['with max_age=1', { max_age: '1' }],
    ['with max_age=10000', { max_age: '10000' }],
    ['with a parameter that nobody knows', { extra: 'foobar' }],
    ['with a login_hint', { login_hint: 'somebody@example.test' }],
    ['with ui_locales', { ui_locales: 'se ar en' }],
    ['with claims_locales', { claims_locales: 'se' }],
    ['with acr_values', { acr_values: '1 2' }],
  ])('%s', async (_, parameters) => {
    const { tokens } = await tokensOf(parameters);
    expect(tokens.claims()).toMatchObject({ aud: 'demo-web', iss: scene().origin });
    expect(tokens.claims()).not.toHaveProperty('nonce');
    expect(typeof tokens.claims()?.auth_time).toBe('number');
  });

  it('by POST, as by GET', async () => {
    const browser = openidBrowser();
    const form = Object.fromEntries(writtenRequest('demo', CB));
    const url = `${scene().origin}/openid/authorize`;
    const page = new URL('https://app.example.test/login');
    const asked = await browser.follow(await browser.submit(url, form, page));
    expect([asked.status, interactionOf(asked)]).toEqual([200, expect.any(URL)]);
  });
});

it.each(['1000001101', '١٠٠٠٠٠١١٠١', '1000 001-101'])(
  'a number in a form, %s, gets into no address and is refused',
  async (hint) => {
    const browser = openidBrowser();
    const form = { ...Object.fromEntries(writtenRequest('demo', CB)), login_hint: hint };
    const asked = await browser.submit(`${scene().origin}/openid/authorize`, form);
    expect(asked.location?.searchParams.get('login_hint')).toBe('1000000000');
    const { location } = await browser.open(asked.location ?? '');
    expect(location?.searchParams.get('error')).toBe('invalid_request');
  },
);

it('the ID token is signed with a key of the list', async () => {
  const { config, tokens } = await tokensOf();
  const keys = createRemoteJWKSet(new URL(config.serverMetadata().jwks_uri ?? ''));
  const { protectedHeader } = await jwtVerify(tokens.id_token ?? '', keys, {
    audience: 'demo-web',
  });
  expect(protectedHeader).toMatchObject({ alg: 'RS256', kid: expect.any(String) as string });
});

it('userinfo answers GET, POST, and a token in the body of POST', async () => {
  const { config, tokens } = await tokensOf({ scope: 'openid profile' });
  const url = config.serverMetadata().userinfo_endpoint ?? '';
  const headers = { authorization: `Bearer ${tokens.access_token}` };
  const body = new URLSearchParams({ access_token: tokens.access_token });
  const answers = await Promise.all([
    fetch(url, { headers }),
    fetch(url, { method: 'POST', headers }),
    fetch(url, { method: 'POST', body }),
  ]);
  const told = answers.map((answer): Promise<unknown> => answer.json());
  const [first, ...others] = await Promise.all(told);
  expect(first).toMatchObject({ sub: tokens.claims()?.sub, given_name: 'Amal' });
  expect(others).toEqual([first, first]);
});

it('userinfo says of a token that is none what is one', async () => {
  const { config } = await tokensOf();
  const url = config.serverMetadata().userinfo_endpoint ?? '';
  const answer = await fetch(url, { headers: { authorization: 'Bearer mft_test_wrong' } });
  expect(answer.status).toBe(401);
  expect(await answer.json()).toEqual({
    error: 'invalid_token',
    error_description:
      'invalid token provided; send the access_token of an answer of /openid/token, which is good ' +
      'for ten minutes: an API token (mft_...) and an ID token are none',
  });
});

it('an essential claim is told by userinfo without its scope', async () => {
  const claims = JSON.stringify({ userinfo: { name: { essential: true } } });
  const { config, tokens } = await tokensOf({ claims });
  const told = await oidc.fetchUserInfo(config, tokens.access_token, String(tokens.claims()?.sub));
  expect(Object.keys(told).toSorted()).toEqual(['name', 'sub']);
});

it('a token has the sid that discovery lists only where it is asked for', async () => {
  const claims = JSON.stringify({ id_token: { sid: { essential: true } } });
  const [asked, other] = [await tokensOf({ claims }), await tokensOf()];
  expect(asked.config.serverMetadata().claims_supported).toContain('sid');
  expect(typeof asked.tokens.claims()?.['sid']).toBe('string');
  expect(other.tokens.claims()).not.toHaveProperty('sid');
});

/** What the application is told of a request that was changed. */
async function refused(change: (query: URLSearchParams) => void) {
  const query = writtenRequest('demo', CB, 'mine');
  change(query);
  const url = `${scene().origin}/openid/authorize?${query.toString()}`;
  const { location } = await openidBrowser().open(url);
  const { error, state } = Object.fromEntries(location?.searchParams ?? []);
  return { error, state };
}

describe('a request is refused at the application', () => {
  const NONE = 'eyJhbGciOiJub25lIn0.e30.';

  it.each([
    ['without a response_type', 'response_type', null, 'invalid_request'],
    ['with a request object', 'request', NONE, 'request_not_supported'],
    ['with a request_uri', 'request_uri', 'https://a.example.test/r', 'request_uri_not_supported'],
  ])('%s', async (_, name, value, error) => {
    const told = await refused((query) => {
      if (value === null) query.delete(name);
      else query.set(name, value);
    });
    expect(told).toEqual({ error, state: 'mine' });
  });
});
