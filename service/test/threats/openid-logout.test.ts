import { dirname } from 'node:path';
import * as oidc from 'openid-client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { writeClientsFile } from '../../../scripts/rehearsal.ts';
import { createMemoryStore } from '../../src/store/index.ts';
import type { Store } from '../../src/store/ports/store.port.ts';
import { share, type AtEnd } from '../support/at-end.ts';
import { startPush } from '../support/openid/ciba.ts';
import { receiverOfLogouts } from '../support/openid/logout-receiver.ts';
import {
  ask,
  exchange,
  OPENID_CLIENTS,
  openidBrowser,
  openStrictOpenid,
  signedIn,
} from '../support/openid/openid-scene.ts';

/** Attacks on the logout (RP-Initiated Logout 1.0), in strict mode. */

const AFTER = 'https://portal.example.test/bye';
const portal = {
  ...OPENID_CLIENTS.portal,
  openid: { ...OPENID_CLIENTS.portal.openid, post_logout_redirect_uris: [AFTER] },
};

const open = (atEnd: AtEnd) => openStrictOpenid(atEnd, [portal, OPENID_CLIENTS.reader]);
const scene = share(open);

async function signIn(at = scene()) {
  const browser = openidBrowser();
  const asked = await ask(at, { id: 'portal' });
  const tokens = await exchange(asked, await signedIn(asked, { browser }));
  const isActive = async () =>
    (await oidc.tokenIntrospection(asked.config, tokens.access_token)).active;
  const logout = (parameters: Record<string, string> = {}) => {
    const url = oidc.buildEndSessionUrl(asked.config, parameters);
    // The hint says it, and has to be the same client's.
    if ('id_token_hint' in parameters) url.searchParams.delete('client_id');
    return browser.open(url);
  };
  return { browser, isActive, logout, hint: String(tokens.id_token) };
}

function unsigned(token: string): string {
  const [, payload = ''] = token.split('.');
  return `${Buffer.from('{"alg":"none"}').toString('base64url')}.${payload}.`;
}

const CONFIRM = '/openid/logout/confirm';
const ELSEWHERE = new URL('https://evil.example.test/');

describe('threat 128: a foreign page that signs somebody out', () => {
  it('by a link ends nothing: the person is asked, and no page of others can hold that page', async () => {
    const { logout, isActive } = await signIn();
    const page = await logout();
    expect(page.html).toContain('<form method="post"');
    expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(await isActive()).toBe(true);
  });

  it.each(['reader', 'portal'] as const)(
    'with an ID token of its own of %s ends nothing',
    async (id) => {
      const attacker = await ask(scene(), { id });
      const back = await signedIn(attacker, { person: 'faisal' });
      const { id_token: hint } = await exchange(attacker, back);
      const victim = await signIn();
      const page = await victim.logout({ id_token_hint: String(hint) });
      expect([page.status, page.location]).toEqual([200, null]);
      expect(await victim.isActive()).toBe(true);
    },
  );

  it.each([
    ['not signed', (token: string) => unsigned(token)],
    ['none at all', () => 'nothing'],
    ['signed by nobody', (token: string) => `${token.slice(0, -8)}AAAAAAAA`],
  ])('by an ID token that is %s ends nothing, and leads nowhere', async (_, change) => {
    const { logout, hint, isActive } = await signIn();
    const asked = { id_token_hint: change(hint), post_logout_redirect_uri: AFTER };
    const { status, location } = await logout(asked);
    expect([status, location]).toEqual([400, null]);
    expect(await isActive()).toBe(true);
  });

  it('by a form ends nothing without the secret of the page, or with that of another browser', async () => {
    const { browser, logout, isActive } = await signIn();
    const attacker = await signIn();
    const page = await attacker.logout();
    const [, secret = ''] = /name="xsrf" value="([^"]+)"/.exec(page.html) ?? [];
    expect(secret).not.toBe('');
    await logout();
    const url = scene().origin + CONFIRM;
    for (const xsrf of ['', secret]) {
      const visit = await browser.submit(url, { logout: 'yes', xsrf }, ELSEWHERE);
      expect([visit.status, visit.location]).toEqual([400, null]);
    }
    expect(await isActive()).toBe(true);
  });
});

describe('threat 128: a logout token, from the log of an application, as an ID token', () => {
  const told = share(async (atEnd) => {
    const { uri, tokens } = await receiverOfLogouts(atEnd);
    const openid = { ...portal.openid, backchannel_logout_uri: uri };
    const at = await openStrictOpenid(atEnd, [{ ...portal, openid }]);
    const { logout, hint } = await signIn(at);
    await logout({ id_token_hint: hint });
    const [token = ''] = tokens;
    return { ...at, token };
  });

  it('signs nobody out without a question', async () => {
    const { logout, isActive } = await signIn(told());
    const { status, location } = await logout({ id_token_hint: told().token });
    expect([status, location]).toEqual([400, null]);
    expect(await isActive()).toBe(true);
  });

  it('is no hint of a sign-in', async () => {
    const parameters = { id_token_hint: told().token, prompt: 'none' };
    const { url } = await ask(told(), { id: 'portal', parameters });
    const { location } = await openidBrowser().open(url);
    expect(location?.searchParams.get('error')).toBe('invalid_request');
  });

  it('has no push sent', async () => {
    const { config } = await ask(told(), { id: 'portal' });
    const push = startPush(config, { id_token_hint: told().token });
    await expect(push).rejects.toMatchObject({ error: 'invalid_request' });
  });
});

describe('threat 128: a logout that leads elsewhere', () => {
  it.each([
    'https://evil.example.test/',
    `${AFTER}/`,
    `${AFTER}?a=b`,
    'https://portal.example.test/cb',
    'javascript:alert(1)',
    '//evil.example.test/bye',
  ])('is refused for %s', async (address) => {
    const { logout, hint, isActive } = await signIn();
    const wanted = { post_logout_redirect_uri: address, id_token_hint: hint };
    const { status, location, html } = await logout(wanted);
    expect([status, location]).toEqual([400, null]);
    expect(html).not.toContain(`href="${address}`);
    expect(await isActive()).toBe(true);
  });

  it('is not possible for nobody in particular', async () => {
    const url = new URL(`${scene().origin}/openid/logout`);
    url.searchParams.set('post_logout_redirect_uri', AFTER);
    const { location } = await openidBrowser().open(url);
    expect(location?.pathname).toBe('/openid/logout/success');
  });

  it('is not possible to an address that the operator removes while the person is asked', async () => {
    const own = await open(onTestFinished);
    const { browser, logout } = await signIn(own);
    const page = await logout({ post_logout_redirect_uri: AFTER });
    writeClientsFile(dirname(own.clientsFile), [OPENID_CLIENTS.portal]);
    await own.service.reload();
    expect((await browser.press(page)).location?.pathname).toBe('/openid/logout/success');
  });
});

it('threat 128: a page of a logout that is asked for beside its button does not undo the logout', async () => {
  const memory = createMemoryStore();
  let meanwhile: (() => Promise<unknown>) | null = null;
  const store: Store = {
    ...memory,
    async followOpenid(record, followed) {
      const work = meanwhile;
      meanwhile = null;
      await work?.();
      return memory.followOpenid(record, followed);
    },
  };
  const parts = { openStore: async () => store };
  const own = await openStrictOpenid(onTestFinished, [portal, OPENID_CLIENTS.reader], {}, parts);
  const { browser, isActive, logout } = await signIn(own);
  const page = await logout();
  const copy = openidBrowser();
  for (const [name, value] of browser.cookies) copy.cookies.set(name, value);
  meanwhile = () => browser.press(page);
  expect((await logout()).status).toBe(200);
  expect(await isActive()).toBe(false);
  // Nothing is left that a logout would have to ask about.
  const again = await copy.open(new URL(`${own.origin}/openid/logout`));
  expect([again.status, again.location?.pathname]).toEqual([303, '/openid/logout/success']);
});
