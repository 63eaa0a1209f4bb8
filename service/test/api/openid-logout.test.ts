import * as oidc from 'openid-client';
import { expect, it } from 'vitest';
import { share } from '../support/at-end.ts';
import {
  ask,
  exchange,
  LASTING,
  OPENID_CLIENTS,
  openidBrowser,
  openStrictOpenid,
  signedIn,
} from '../support/openid/openid-scene.ts';

/** RP-Initiated Logout 1.0: what a logout ends, and where it leads. */

const AFTER = 'https://portal.example.test/bye?kept=a%20b';
const portal = {
  ...OPENID_CLIENTS.portal,
  openid: { ...OPENID_CLIENTS.portal.openid, post_logout_redirect_uris: [AFTER] },
};
const { backchannel_token_delivery_mode: _mode, ...byBrowser } = portal.openid;
const clinic = { ...portal, openid: { ...byBrowser, subject_type: 'pairwise' } };

const scene = share((atEnd) => openStrictOpenid(atEnd, [portal, OPENID_CLIENTS.reader]));
const pairwise = share((atEnd) => openStrictOpenid(atEnd, [clinic]));

interface Wish {
  readonly id?: 'portal' | 'reader';
  readonly parameters?: Record<string, string>;
  readonly at?: typeof scene;
}

async function signIn({ id = 'portal', parameters = {}, at = scene }: Wish = {}) {
  const browser = openidBrowser();
  const asked = await ask(at(), { id, parameters });
  const tokens = await exchange(asked, await signedIn(asked, { browser }));
  const isActive = async () =>
    (await oidc.tokenIntrospection(asked.config, tokens.access_token)).active;
  return { browser, tokens, isActive, config: asked.config, hint: String(tokens.id_token) };
}

const logoutOf = (config: oidc.Configuration, parameters: Record<string, string>) =>
  oidc.buildEndSessionUrl(config, { state: 'mine', ...parameters });

const SHOWN = { post_logout_redirect_uri: AFTER, ui_locales: 'en' };

it.each([
  ['public', scene],
  ['pairwise', pairwise],
])(
  'with the ID token of the sign-in, by a %s sub, it ends what that gave and leads back at once',
  async (_, at) => {
    const { browser, config, hint, isActive } = await signIn({ at });
    expect(await isActive()).toBe(true);
    const url = logoutOf(config, { ...SHOWN, id_token_hint: hint });
    const { status, location } = await browser.open(url);
    expect([status, location?.href]).toEqual([
      303,
      'https://portal.example.test/bye?kept=a+b&state=mine',
    ]);
    expect(await isActive()).toBe(false);
    expect(browser.cookies.get('miftah_session')).toBe('');
  },
);

it('leads back at once where there is nothing to end, and leaves nothing behind', async () => {
  const { config, hint } = await signIn();
  const other = openidBrowser();
  const { location } = await other.open(logoutOf(config, { ...SHOWN, id_token_hint: hint }));
  expect(location?.searchParams.get('state')).toBe('mine');
});

it('leads back without a state where there was none', async () => {
  const { browser, config, hint } = await signIn();
  const asked = { id_token_hint: hint, post_logout_redirect_uri: AFTER };
  const { location } = await browser.open(oidc.buildEndSessionUrl(config, asked));
  expect(location?.href).toBe(AFTER);
});

it('asks without an ID token, and ends what the sign-in gave when the button is pressed', async () => {
  const { browser, config, isActive } = await signIn();
  const page = await browser.open(logoutOf(config, SHOWN));
  expect([page.status, page.location]).toEqual([200, null]);
  expect(page.html).toContain('<html lang="en"');
  expect(page.html).toContain('Sign out of');
  expect(page.html).toContain('Example Portal');
  expect(page.headers.get('content-security-policy')).toContain("form-action 'self'");
  expect(await isActive()).toBe(true);
  const onward = await browser.press(page);
  expect([onward.status, onward.location?.searchParams.get('state')]).toEqual([200, 'mine']);
  expect(onward.headers.get('content-security-policy')).toContain("form-action 'none'");
  expect(await isActive()).toBe(false);
});

it('the button, pressed again or by three presses at once, leads on, and is no error', async () => {
  const before = scene().service.logLines.length;
  for (const parameters of [SHOWN, { ui_locales: 'en' }]) {
    const { browser, config, isActive } = await signIn();
    const page = await browser.open(logoutOf(config, parameters));
    const visits = await Promise.all([1, 2, 3].map(() => browser.press(page)));
    visits.push(await browser.press(page));
    for (const { status, location } of visits) {
      expect(status).toBeLessThan(400);
      expect(location?.href).toMatch(/\/bye\?.*state=mine$|\/openid\/logout\/success/);
    }
    expect((await browser.follow(await browser.press(page))).html).toContain('You are signed out');
    expect(await isActive()).toBe(false);
  }
  const lines = scene().service.logLines.slice(before);
  expect(lines.filter((line) => line.includes('an OpenID request'))).toEqual([]);
});

it('asks where the ID token is of somebody else, or of another client', async () => {
  const one = await signIn();
  const other = await signIn({ id: 'reader' });
  const url = logoutOf(other.config, { id_token_hint: other.hint });
  expect((await one.browser.open(url)).status).toBe(200);
  expect(await one.isActive()).toBe(true);
});

it('without an address it ends at a page, in the language of the request', async () => {
  const { browser, config } = await signIn();
  const page = await browser.open(oidc.buildEndSessionUrl(config, { ui_locales: 'en' }));
  const visit = await browser.follow(await browser.press(page));
  expect(visit.html).toContain('You are signed out');
  const arabic = await browser.switchLanguage(visit);
  expect(arabic.html).toContain('اكتمل تسجيل الخروج');
  expect(arabic.html).toContain('<html lang="ar" dir="rtl"');
});

it('what a client has without the person outlives it', async () => {
  const { browser, config, tokens, hint, isActive } = await signIn({ parameters: LASTING });
  await browser.open(logoutOf(config, { ...SHOWN, id_token_hint: hint }));
  expect(await isActive()).toBe(true);
  const next = await oidc.refreshTokenGrant(config, String(tokens.refresh_token));
  expect(next.access_token).not.toBe(tokens.access_token);
});

it('a request may be a form', async () => {
  const { browser, config, hint, isActive } = await signIn();
  const form = { id_token_hint: hint, post_logout_redirect_uri: AFTER, state: 'a b' };
  const url = `${scene().origin}/openid/logout`;
  expect(config.serverMetadata().end_session_endpoint).toBe(url);
  const page = new URL('https://portal.example.test/account');
  const asked = await browser.submit(url, form, page);
  expect(asked.status).toBe(303);
  const { location } = await browser.open(asked.location ?? '');
  expect(location?.searchParams.get('state')).toBe('a b');
  expect(await isActive()).toBe(false);
});

it.each(['[1]', '{"state":"a"}'])('a request is a form, and not %s', async (body) => {
  for (const path of ['/openid/logout', '/openid/authorize']) {
    const headers = { 'content-type': 'application/json' };
    const url = scene().origin + path;
    const answer = await fetch(url, { method: 'POST', headers, body, redirect: 'manual' });
    expect(answer.status).toBe(415);
  }
});

it('a state that is too long to be kept is refused, and is no error of ours', async () => {
  const { browser, config, isActive } = await signIn();
  const before = scene().service.logLines.length;
  const page = await browser.open(logoutOf(config, { ...SHOWN, state: '\0'.repeat(4000) }));
  expect([page.status, page.location]).toEqual([400, null]);
  const lines = scene().service.logLines.slice(before);
  const told = lines.filter((line) => line.includes('an OpenID request'));
  expect(told.map((line) => (JSON.parse(line) as { level: number }).level)).toEqual([40]);
  expect(page.html).toContain('You could not be signed out');
  expect(await isActive()).toBe(true);
});

it('a wrong address is refused with its reason, on the page and in the log', async () => {
  const { browser, config, hint, isActive } = await signIn();
  const wrong = 'https://elsewhere.example.test/bye?of=me';
  const asked = { id_token_hint: hint, post_logout_redirect_uri: wrong, ui_locales: 'en' };
  const { status, html, location } = await browser.open(logoutOf(config, asked));
  expect([status, location]).toEqual([400, null]);
  expect(html).toContain('You could not be signed out');
  const reason =
    'post_logout_redirect_uri "https://elsewhere.example.test/bye?…" is none of those of portal: ' +
    'https://portal.example.test/bye?…. Add it to openid.post_logout_redirect_uris of the client';
  expect(html.replaceAll('&quot;', '"').replaceAll(/<\/?code[^>]*>/g, '')).toContain(reason);
  const lines = scene().service.logLines.map((line) => JSON.parse(line) as { reason?: string });
  expect(lines).toContainEqual(
    expect.objectContaining({ level: 40, code: 'invalid_request', reason }),
  );
  expect(await isActive()).toBe(true);
});

it('an address without a client to have it is left out, and the log says why', async () => {
  const query = new URLSearchParams(SHOWN);
  const { status, location } = await openidBrowser().open(
    `${scene().origin}/openid/logout?${query.toString()}`,
  );
  expect([status, location?.pathname]).toEqual([303, '/openid/logout/success']);
  const lines = scene().service.logLines.map((line) => JSON.parse(line) as object);
  const reason: unknown = expect.stringContaining('send id_token_hint or client_id');
  const line = { level: 30, msg: 'an OpenID logout leads back to nobody', reason };
  expect(lines).toContainEqual(expect.objectContaining(line));
});

const errors = () => scene().service.logLines.filter((line) => line.includes('"level":50'));

it.each([{ aud: 5 }, { aud: {} }, { aud: null }, { aud: ['portal'] }, {}])(
  'an ID token of no audience, or of one that is no text, is refused: %j',
  async (claims) => {
    const [head, payload] = [{}, claims].map((part) => btoa(JSON.stringify(part)));
    const hint = encodeURIComponent(`${head}.${payload}.x`);
    const before = errors().length;
    const answer = await fetch(`${scene().origin}/openid/logout?id_token_hint=${hint}`);
    expect([answer.status, errors().slice(before)]).toEqual([400, []]);
  },
);

it.each(['logout', 'par', 'token', 'revoke', 'introspect', 'backchannel'])(
  'a client that is named twice is refused, and no error of ours: %s',
  async (endpoint) => {
    const body = new URLSearchParams('client_id=portal&client_id=portal&token=x');
    const before = errors().length;
    const answer = await fetch(`${scene().origin}/openid/${endpoint}`, { method: 'POST', body });
    expect([400, 401]).toContain(answer.status);
    expect(errors().slice(before)).toEqual([]);
  },
);
