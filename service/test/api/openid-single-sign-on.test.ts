import { decodeJwt } from 'jose';
import * as oidc from 'openid-client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { CODE_SECONDS, MOST_EARLIER } from '../../src/openid/sessions/sessions.ts';
import { SECOND_MS } from '../../src/values/time.ts';
import { share } from '../support/at-end.ts';
import { exchange, LASTING, openidBrowser, wayBack } from '../support/openid/openid-scene.ts';
import { openSso, SSO_CLIENTS, withoutSso } from '../support/openid/sso-scene.ts';

/** Single sign-on: a request that is answered without the person, and one that is not. */

const scene = share((atEnd) => openSso(atEnd));
const NONE = { prompt: 'none' };

describe('in a browser in which somebody has signed in', () => {
  it('a client is answered with prompt=none, and so are others, of the same sign-in', async () => {
    const { browser, claims } = await scene().signIn('shop');
    for (const parameters of [NONE, {}, { max_age: '10000' }]) {
      const again = await scene().answered(browser, 'shop', { parameters });
      const { sub, acr, auth_time } = { ...claims };
      expect(again.claims).toMatchObject({ sub, acr, auth_time });
      expect(again.claims).not.toHaveProperty('amr');
    }
    const other = await scene().answered(browser, 'desk', { parameters: NONE });
    expect(other.claims).toMatchObject({ acr: claims['acr'], auth_time: claims.auth_time });
    expect(other.claims.sub).not.toBe(claims.sub);
  });

  it('what it is given is good, of its own scopes, and its sub is the one that it knows', async () => {
    const { browser } = await scene().signIn('shop');
    const first = await scene().signIn('desk');
    const parameters = { ...NONE, scope: 'openid national_id' };
    const { tokens, asked, claims } = await scene().answered(browser, 'desk', { parameters });
    expect(claims.sub).toBe(first.claims.sub);
    const told = await oidc.fetchUserInfo(asked.config, tokens.access_token, String(claims.sub));
    expect(told).toMatchObject({ national_id: '1000001101' });
    expect(told).not.toHaveProperty('name');
  });

  it('a pushed request is answered too', async () => {
    const { browser } = await scene().signIn('shop');
    const wished = { isPushed: true, parameters: NONE };
    expect((await scene().answered(browser, 'desk', wished)).claims).toHaveProperty('auth_time');
  });

  it('with the amr of a sign-in on the phone', async () => {
    const browser = openidBrowser();
    const parameters = { login_hint: '1000001101' };
    const asked = await scene().requestOf('shop', { isPushed: true, parameters });
    const page = await browser.follow(await browser.open(asked.url));
    const shown = await browser.follow(await browser.press(page));
    await scene().decideOnPhone('1000001101');
    await expect
      .poll(async () => (await wayBack(browser, asked, shown.url)).location?.href)
      .toContain('code=');
    const { claims } = await scene().answered(browser, 'desk', { parameters: NONE });
    expect(claims['amr']).toEqual(['mca']);
  });

  it.each([
    ['prompt=login', { prompt: 'login' }],
    ['prompt=consent', { prompt: 'consent' }],
    ['prompt=select_account', { prompt: 'select_account' }],
    ['max_age=0', { max_age: '0' }],
    ['lasting access', LASTING],
    ['the day of birth', { scope: 'openid birthdate' }],
    ['the claim alone', { claims: '{"userinfo":{"birthdate":null}}' }],
    ['a higher level', { acr_values: 'ISSUER/acr/4' }],
    [
      'an essential level',
      { claims: '{"id_token":{"acr":{"essential":true,"value":"ISSUER/acr/4"}}}' },
    ],
  ])('%s asks anew', async (_, parameters) => {
    const { browser } = await scene().signIn('shop');
    const given = Object.entries(parameters).map(([name, text]) => [
      name,
      text.replaceAll('ISSUER', scene().origin),
    ]);
    const wished = Object.fromEntries(given) as Record<string, string>;
    expect(await scene().tryIn(browser, 'shop', { parameters: wished })).toMatchObject({
      isAsked: true,
    });
    expect(await scene().tryIn(browser, 'shop', { parameters: NONE })).toMatchObject({
      error: null,
    });
  });

  it('a number as login_hint asks anew', async () => {
    const { browser } = await scene().signIn('shop');
    const parameters = { login_hint: '1000001101' };
    const outcome = await scene().tryIn(browser, 'shop', { isPushed: true, parameters });
    expect(outcome.isAsked).toBe(true);
    const silent = { ...parameters, ...NONE };
    expect(
      await scene().tryIn(browser, 'shop', { isPushed: true, parameters: silent }),
    ).toMatchObject({ error: 'login_required' });
  });

  it('an ID token of somebody else asks anew, or is login_required', async () => {
    const { browser, tokens } = await scene().signIn('shop');
    const other = await scene().signIn('shop', { person: 'faisal' });
    const hint = { id_token_hint: String(other.tokens.id_token) };
    expect(await scene().tryIn(browser, 'shop', { parameters: hint })).toMatchObject({
      isAsked: true,
    });
    expect(
      await scene().tryIn(browser, 'shop', { parameters: { ...hint, ...NONE } }),
    ).toMatchObject({ error: 'login_required' });
    const own = { id_token_hint: String(tokens.id_token), ...NONE };
    await scene().answered(browser, 'shop', { parameters: own });
  });

  it('is told the level that it insists on, where the person reaches a higher one', async () => {
    const { browser, claims } = await scene().signIn('shop');
    expect(claims['acr']).toBe(`${scene().origin}/acr/3`);
    const acr = {
      essential: true,
      values: [2, 1].map((level) => `${scene().origin}/acr/${level}`),
    };
    const parameters = { ...NONE, claims: JSON.stringify({ id_token: { acr } }) };
    const lower = await scene().answered(browser, 'desk', { parameters });
    expect(lower.claims['acr']).toBe(`${scene().origin}/acr/2`);
    const usual = await scene().answered(browser, 'shop', { parameters: NONE });
    expect(usual.claims['acr']).toBe(claims['acr']);
  });
});

describe('a client without sso', () => {
  it('gives no session', async () => {
    const { browser } = await scene().signIn('alone');
    expect([...browser.cookies.keys()]).not.toContain('miftah_sso');
    expect(await scene().tryIn(browser, 'shop', { parameters: NONE })).toMatchObject({
      error: 'login_required',
    });
  });

  it('takes none, and leaves that of others as it is', async () => {
    const { browser } = await scene().signIn('shop');
    expect(await scene().tryIn(browser, 'alone', { parameters: NONE })).toMatchObject({
      error: 'login_required',
    });
    await scene().signIn('alone', { browser, person: 'faisal' });
    const kept = await scene().answered(browser, 'shop', { parameters: NONE });
    const amal = await scene().signIn('shop');
    expect(kept.claims.sub).toBe(amal.claims.sub);
  });
});

describe('a sign-in beside a session', () => {
  it('of the same person begins it anew, and other clients stay in it', async () => {
    const { browser, tokens, asked } = await scene().signIn('shop');
    const before = browser.cookies.get('miftah_sso');
    await scene().signIn('desk', { browser, parameters: { prompt: 'login' } });
    expect(browser.cookies.get('miftah_sso')).not.toBe(before);
    await scene().answered(browser, 'shop', { parameters: NONE });
    const { active } = await oidc.tokenIntrospection(asked.config, tokens.access_token);
    expect(active).toBe(true);
  });

  it('of somebody else is theirs, and ends what the person before them was given', async () => {
    const { browser, tokens, asked, claims } = await scene().signIn('shop');
    const other = await scene().signIn('shop', {
      browser,
      person: 'faisal',
      parameters: { prompt: 'login' },
    });
    expect(other.claims.sub).not.toBe(claims.sub);
    const silent = await scene().answered(browser, 'shop', { parameters: NONE });
    expect(silent.claims.sub).toBe(other.claims.sub);
    const { active } = await oidc.tokenIntrospection(asked.config, tokens.access_token);
    expect(active).toBe(false);
  });

  it('that is refused leaves it as it is', async () => {
    const { browser } = await scene().signIn('shop');
    const refused = scene().signIn('desk', {
      browser,
      parameters: { prompt: 'login' },
      decision: 'refuse',
    });
    await expect(refused).rejects.toMatchObject({ error: 'access_denied' });
    await scene().answered(browser, 'desk', { parameters: NONE });
  });
});

const out = (path: string) => new URL(`${scene().origin}/openid/logout${path}`);

describe('a logout', () => {
  it('ends the session for all clients, and what each of them was given', async () => {
    const { browser, tokens, asked } = await scene().signIn('shop');
    const silent = () => scene().answered(browser, 'desk', { parameters: NONE });
    const desk = [await silent(), await silent()];
    const hint = String(desk[0]?.tokens.id_token);
    expect((await browser.open(out(`?id_token_hint=${hint}`))).status).toBe(303);
    for (const of of [{ tokens, asked }, ...desk]) {
      const { active } = await oidc.tokenIntrospection(of.asked.config, of.tokens.access_token);
      expect(active).toBe(false);
    }
    expect(await scene().tryIn(browser, 'shop', { parameters: NONE })).toMatchObject({
      error: 'login_required',
    });
  });

  it('without a client asks whether all shall end, and ends the session that is shared', async () => {
    const { browser } = await scene().signIn('shop');
    await scene().answered(browser, 'desk', { parameters: NONE });
    const page = await browser.open(out('?ui_locales=en'));
    expect(page.html).toContain('all applications that share this sign-in');
    await browser.press(page);
    expect(await scene().tryIn(browser, 'desk', { parameters: NONE })).toMatchObject({
      error: 'login_required',
    });
  });

  it('of a client without sso ends its own sign-in alone', async () => {
    const { browser } = await scene().signIn('shop');
    const { tokens } = await scene().signIn('alone', { browser });
    await browser.open(out(`?id_token_hint=${String(tokens.id_token)}`));
    await scene().answered(browser, 'shop', { parameters: NONE });
  });
});

it('a logout of a client whose sso was taken out ends the session in which it has a part', async () => {
  const own = await openSso(onTestFinished);
  const { browser, tokens, asked } = await own.signIn('shop');
  const desk = await own.answered(browser, 'desk', { parameters: NONE });
  await own.reload([withoutSso(SSO_CLIENTS.shop), SSO_CLIENTS.desk, SSO_CLIENTS.alone]);
  const outOf = (hint = '') => browser.open(`${own.origin}/openid/logout?id_token_hint=${hint}`);
  const isActive = async () =>
    (await oidc.tokenIntrospection(asked.config, tokens.access_token)).active;
  const alone = await own.signIn('alone', { browser });
  await outOf(alone.tokens.id_token);
  expect(await isActive()).toBe(true);
  expect((await outOf(tokens.id_token)).status).toBe(303);
  expect(await isActive()).toBe(false);
  const other = await oidc.tokenIntrospection(desk.asked.config, desk.tokens.access_token);
  expect(other.active).toBe(false);
});

it('lasts a working day from the sign-in on, or as long as an API token, and no use prolongs it', async () => {
  const own = await openSso(onTestFinished);
  const { browser, claims } = await own.signIn('shop');
  own.advance(7.9 * 3_600_000);
  const last = await own.answered(browser, 'desk', { parameters: NONE });
  expect(last.claims.auth_time).toBe(claims.auth_time);
  own.advance(0.2 * 3_600_000);
  expect(await own.tryIn(browser, 'desk', { parameters: NONE })).toMatchObject({
    error: 'login_required',
  });
  const short = await openSso(onTestFinished, undefined, { TOKEN_LIFETIME: '1h' });
  const { browser: other } = await short.signIn('shop');
  short.advance(3_601_000);
  expect(await short.tryIn(other, 'shop', { parameters: NONE })).toMatchObject({
    error: 'login_required',
  });
});

it('max_age counts from the sign-in', async () => {
  const own = await openSso(onTestFinished);
  const { browser } = await own.signIn('shop');
  const at = (max_age: string) => own.tryIn(browser, 'shop', { parameters: { max_age, ...NONE } });
  own.advance(10_000);
  expect(await at('60')).toMatchObject({ error: null });
  expect(await at('5')).toMatchObject({ error: 'login_required' });
});

it('the log says that a code was given of a session, and a sign-in that was asked for is none', async () => {
  const own = await openSso(onTestFinished);
  const { browser } = await own.signIn('shop');
  await own.answered(browser, 'desk', { parameters: NONE });
  await own.tryIn(browser, 'desk', { parameters: { prompt: 'login' } });
  const rows = await own.auditRows();
  const [signedIn, used, ...more] = rows.filter(({ action }) => action.startsWith('openid.'));
  expect(signedIn).toMatchObject({ action: 'openid.signed_in', client: 'shop' });
  expect(used).toMatchObject({
    action: 'openid.session_used',
    client: 'desk',
    userId: signedIn?.userId,
  });
  expect(more).toEqual([]);
});

it('a request that is too long is refused before the log says that a session was used', async () => {
  const own = await openSso(onTestFinished);
  const { browser } = await own.signIn('shop');
  const { url } = await own.requestOf('shop', { parameters: NONE });
  url.searchParams.delete('nonce');
  // As JSON twice as long, and not in an address.
  const long = `${url.href}&nonce=${'\\'.repeat(9000)}`;
  const { location } = await browser.open(long);
  expect(location?.searchParams.get('error')).toBe('invalid_request');
  const actions = (await own.auditRows()).map(({ action }) => action);
  expect(actions).not.toContain('openid.session_used');
});

it('all tabs of a browser that opens them again are answered', async () => {
  const { browser } = await scene().signIn('shop');
  const tab = () => scene().tryIn(browser, 'shop', { parameters: NONE });
  const all = await Promise.all(Array.from({ length: 40 }, tab));
  expect(all.filter(({ code }) => code === null)).toEqual([]);
});

it('more tabs than a session remembers get no code that another one ends', async () => {
  const own = await openSso(onTestFinished);
  const { browser } = await own.signIn('shop');
  const tab = () => own.tryIn(browser, 'shop', { parameters: NONE });
  const all = await Promise.all(Array.from({ length: MOST_EARLIER + 12 }, tab));
  const good = all.filter(({ code }) => code !== null);
  expect(good).toHaveLength(MOST_EARLIER);
  for (const { asked, visit } of good) {
    const { access_token } = await exchange(asked, visit.location ?? new URL('about:blank'));
    const { active } = await oidc.tokenIntrospection(asked.config, access_token);
    expect(active).toBe(true);
  }
  const later = all.filter(({ error }) => error === 'temporarily_unavailable');
  expect(later).toHaveLength(12);
  own.advance(CODE_SECONDS * SECOND_MS);
  expect(await tab()).toMatchObject({ error: null });
});

it('requests of several clients at once are all answered, and all end with the session', async () => {
  const { browser } = await scene().signIn('shop');
  const wished = { parameters: NONE };
  const all = await Promise.all(
    (['shop', 'desk', 'shop', 'desk'] as const).map((id) => scene().answered(browser, id, wished)),
  );
  const sids = all.map(({ tokens }) => decodeJwt(String(tokens.id_token)).aud);
  expect(sids).toEqual(['shop', 'desk', 'shop', 'desk']);
  await browser.open(
    `${scene().origin}/openid/logout?id_token_hint=${String(all[0]?.tokens.id_token)}`,
  );
  for (const { asked, tokens } of all) {
    const { active } = await oidc.tokenIntrospection(asked.config, tokens.access_token);
    expect(active).toBe(false);
  }
});
