import { createRemoteJWKSet, decodeJwt, jwtVerify } from 'jose';
import * as oidc from 'openid-client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { share } from '../support/at-end.ts';
import { plainReceiver } from '../support/outbound/receiver.ts';
import { startPush } from '../support/openid/ciba.ts';
import {
  keepLogouts,
  receiverOfLogouts,
  type LogoutReceiver,
} from '../support/openid/logout-receiver.ts';
import {
  ask,
  exchange,
  OPENID_CLIENTS,
  openidBrowser,
  openStrictOpenid,
  signedIn,
  type OpenidScene,
} from '../support/openid/openid-scene.ts';

/** Back-Channel Logout 1.0, as an application hears it. */

const EVENT = 'http://schemas.openid.net/event/backchannel-logout';
const { backchannel_token_delivery_mode: _mode, ...byBrowser } = OPENID_CLIENTS.portal.openid;

const told = (uri: string, members: object = {}) => ({
  ...OPENID_CLIENTS.portal,
  openid: { ...byBrowser, backchannel_logout_uri: uri, ...members },
});

interface Place {
  readonly at: OpenidScene;
  readonly receiver: LogoutReceiver;
}

const place = (members: object = {}) =>
  share<Place>(async (atEnd) => {
    const receiver = await receiverOfLogouts(atEnd);
    return { receiver, at: await openStrictOpenid(atEnd, [told(receiver.uri, members)]) };
  });

const usual = place();
const withSession = place({ backchannel_logout_session_required: true });
const pairwise = place({ subject_type: 'pairwise', id_token_signed_response_alg: 'ES256' });

async function signIn({ at }: Pick<Place, 'at'>) {
  const browser = openidBrowser();
  const asked = await ask(at, { id: 'portal' });
  const tokens = await exchange(asked, await signedIn(asked, { browser }));
  const isActive = async () =>
    (await oidc.tokenIntrospection(asked.config, tokens.access_token)).active;
  const id_token_hint = String(tokens.id_token);
  const logout = () => browser.open(oidc.buildEndSessionUrl(asked.config, { id_token_hint }));
  const askLogout = () => browser.open(oidc.buildEndSessionUrl(asked.config, { ui_locales: 'en' }));
  return { browser, tokens, isActive, logout, askLogout, claims: decodeJwt(id_token_hint) };
}

async function verified({ at, receiver }: Place) {
  const [token = '', ...others] = receiver.tokens.splice(0);
  expect([token, others]).toEqual([expect.stringMatching(/^[\w-]+(?:\.[\w-]+){2}$/), []]);
  const keys = createRemoteJWKSet(new URL(`${at.origin}/openid/jwks`));
  return jwtVerify(token, keys, {
    typ: 'logout+jwt',
    issuer: at.origin,
    audience: 'portal',
    maxTokenAge: 60,
    requiredClaims: ['iat', 'exp', 'jti', 'events'],
  });
}

it('is in discovery', async () => {
  const { config } = await ask(usual().at, { id: 'portal' });
  expect(config.serverMetadata()).toMatchObject({
    backchannel_logout_supported: true,
    backchannel_logout_session_supported: true,
  });
});

describe('a client is told of a logout', () => {
  it.each([
    ['public', usual, 'RS256'],
    ['pairwise', pairwise, 'ES256'],
  ] as const)('by a token that it can verify, with its %s sub', async (_, at, alg) => {
    const { logout, isActive, claims } = await signIn(at());
    expect((await logout()).status).toBe(303);
    const { payload, protectedHeader } = await verified(at());
    expect(protectedHeader).toMatchObject({ alg, typ: 'logout+jwt' });
    expect(payload).toMatchObject({ sub: claims.sub, events: { [EVENT]: {} } });
    expect(payload).not.toHaveProperty('nonce');
    expect(payload).not.toHaveProperty('sid');
    expect(await isActive()).toBe(false);
  });

  it('that the person has confirmed, once', async () => {
    const { browser, askLogout, claims } = await signIn(usual());
    const page = await askLogout();
    expect(usual().receiver.tokens).toEqual([]);
    await browser.press(page);
    expect(usual().receiver.tokens).toHaveLength(1);
    expect((await verified(usual())).payload.sub).toBe(claims.sub);
    await askLogout();
    expect(usual().receiver.tokens).toEqual([]);
  });

  it.each(['by presses of the button', 'by an ID token'])(
    'once, however many logouts of a browser come at once: %s',
    async (way) => {
      for (const _ of [1, 2, 3]) {
        const { browser, logout, askLogout, isActive } = await signIn(usual());
        const page = await askLogout();
        const end = () => (way === 'by an ID token' ? logout() : browser.press(page));
        const visits = await Promise.all(Array.from({ length: 6 }, end));
        expect(visits.every(({ status }) => status < 400)).toBe(true);
        expect(usual().receiver.tokens.splice(0)).toHaveLength(1);
        expect(await isActive()).toBe(false);
      }
    },
  );

  it('with the sid of its ID token, where it needs that', async () => {
    const { logout, claims } = await signIn(withSession());
    expect(claims['sid']).toMatch(/^[\w-]{20,}$/);
    await logout();
    expect((await verified(withSession())).payload['sid']).toBe(claims['sid']);
  });
});

it.each(['by an ID token', 'by a press of the button'])(
  'a client that does not answer keeps nobody signed in: %s',
  async (way) => {
    const called = Promise.withResolvers<void>();
    const silent = await plainReceiver(() => called.resolve(), onTestFinished);
    const uri = `http://127.0.0.1:${silent.port}/out`;
    const at = await openStrictOpenid(onTestFinished, [told(uri)]);
    const { browser, logout, askLogout, isActive } = await signIn({ at });
    const page = way === 'by an ID token' ? null : await askLogout();
    const ending = page === null ? logout() : browser.press(page);
    await called.promise;
    expect(await isActive()).toBe(false);
    expect((await ending).status).toBeLessThan(400);
  },
);

describe('a client that can’t be told of a logout', () => {
  it.each([
    ['has answered 500', (uri: string) => `${uri}/500`],
    ['has answered 302', (uri: string) => `${uri}/302`],
    ['has closed the connection without an answer', (uri: string) => `${uri}/0`],
    ['could not be connected to (ECONNREFUSED)', () => 'http://127.0.0.1:1/out'],
    ['leads to a private or reserved address', () => 'https://10.255.255.1/out'],
  ])('because it %s is named in the log, and the person is signed out', async (reason, of) => {
    const receiver = await receiverOfLogouts(onTestFinished);
    const at = await openStrictOpenid(onTestFinished, [told(of(receiver.uri))]);
    const { logout, isActive, claims } = await signIn({ at });
    expect((await logout()).status).toBe(303);
    expect(await isActive()).toBe(false);
    const lines = at.service.logLines.filter((line) => line.includes('be told of a logout'));
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain(`portal: its backchannel_logout_uri ${reason}`);
    const sent = receiver.tokens.join();
    expect(at.service.logLines.join('')).not.toContain(String(claims.sub));
    if (sent !== '') expect(at.service.logLines.join('')).not.toContain(sent);
  });
});

it('is told of a logout although its pings have all turns of its host', async () => {
  const tokens: string[] = [];
  const held: string[] = [];
  const { port } = await plainReceiver((request, answer) => {
    if (request.url === '/ping') held.push('ping');
    else keepLogouts(tokens)(request, answer);
  }, onTestFinished);
  const origin = `http://127.0.0.1:${port}`;
  const members = {
    backchannel_token_delivery_mode: 'ping',
    backchannel_client_notification_endpoint: `${origin}/ping`,
  };
  const at = await openStrictOpenid(onTestFinished, [told(`${origin}/logout`, members)]);
  const { logout } = await signIn({ at });
  const config = (await ask(at, { id: 'portal' })).config;
  const push = { login_hint: '1000001101', requested_expiry: '1' };
  const all = { ...push, client_notification_token: 'client-notification-token_0123456789' };
  await Promise.all(Array.from({ length: 16 }, () => startPush(config, all)));
  await expect.poll(() => held).toHaveLength(16);
  await logout();
  expect(tokens).toHaveLength(1);
});
