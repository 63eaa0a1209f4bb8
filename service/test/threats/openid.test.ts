import { dirname } from 'node:path';
import * as oidc from 'openid-client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { writeClientsFile } from '../../../scripts/rehearsal.ts';
import { share } from '../support/at-end.ts';
import {
  ask,
  beginIn,
  discovered,
  exchange,
  LASTING,
  OPENID_CLIENTS,
  openidBrowser,
  openStrictOpenid,
  PORTAL_KEY,
  signedIn,
  signInIn,
  wayBack,
  type Asked,
} from '../support/openid/openid-scene.ts';
import { openStoreBeside } from '../support/openid/store-beside.ts';

/** Attacks on the OpenID Provider, in strict simulator mode: live mode's flows and rules. */

const scene = share((atEnd) => openStrictOpenid(atEnd, Object.values(OPENID_CLIENTS)));
const askPortal = (parameters = {}) => ask(scene(), { id: 'portal', parameters });

const OTHER_KEY = 'mfk_other_0123456789abcdef';
const OTHER_CLIENTS = [
  ...Object.values(OPENID_CLIENTS),
  { ...OPENID_CLIENTS.portal, id: 'other', keys: [OTHER_KEY] },
];

const errorOf = (attempt: Promise<unknown>): Promise<unknown> =>
  attempt.then(
    () => 'it was answered',
    (error: unknown) =>
      error instanceof oidc.ResponseBodyError || error instanceof oidc.WWWAuthenticateChallengeError
        ? error.status
        : error,
  );

describe('threat 119: a return without one of its cookies', () => {
  const COOKIES = { interaction: /^miftah_interaction/, launch: /^__Host-miftah_/ } as const;

  it.each(['interaction', 'launch'] as const)(
    'is refused without that of the %s',
    async (missing) => {
      const asked = await askPortal();
      const browser = openidBrowser();
      const back = await signInIn(browser, await beginIn(browser, asked));
      const bound = await browser.open(back);
      const stolen = openidBrowser();
      for (const [name, value] of browser.cookies) {
        if (!COOKIES[missing].test(name)) stolen.cookies.set(name, value);
      }
      const visit = await wayBack(stolen, asked, bound.location ?? back);
      expect([403, 404]).toContain(visit.status);
      expect(visit.html).toContain('<html lang="ar" dir="rtl">');
      // Nothing was used up: the browser of the sign-in goes on.
      const { location } = await wayBack(browser, asked, bound.location ?? back);
      expect(location?.searchParams.get('code')).toBeTruthy();
    },
  );

  it('ends no other sign-in of the same browser', async () => {
    const [mine, other] = [await askPortal(), await askPortal()];
    const browser = openidBrowser();
    const attacker = openidBrowser();
    const back = await signInIn(browser, await beginIn(browser, mine));
    const bound = await browser.open(back);
    const page = await beginIn(attacker, other);
    await attacker.press(page);
    // A sibling of our host sets the attacker's interaction in the victim's browser: the code would
    // go to the request of the attacker.
    for (const [name, value] of attacker.cookies) {
      if (COOKIES.interaction.test(name)) browser.cookies.set(name, value);
    }
    const query = bound.location?.search ?? '';
    const visit = await browser.open(`${page.url.href}/return${query}`);
    expect(visit.status).toBe(404);
  });
});

function injectInto(asked: Asked, back: URL): string {
  const address = new URL(back);
  address.searchParams.set('state', String(asked.checks.expectedState));
  return address.href;
}

describe('threat 120: a code', () => {
  it('redeemed twelve times at once gives one token, and nothing breaks', async () => {
    const asked = await askPortal();
    const back = await signedIn(asked);
    const body = new URLSearchParams({
      grant_type: 'authorization_code',
      code: back.searchParams.get('code') ?? '',
      redirect_uri: asked.redirectUri,
      code_verifier: asked.checks.pkceCodeVerifier,
    });
    const authorization = `Basic ${btoa(`portal:${PORTAL_KEY}`)}`;
    const redeem = () =>
      fetch(`${scene().origin}/openid/token`, { method: 'POST', body, headers: { authorization } });
    const answers = await Promise.all(Array.from({ length: 12 }, redeem));
    const statuses = answers.map(({ status }) => status).toSorted((one, other) => one - other);
    expect(statuses).toEqual([200, ...Array.from({ length: 11 }, () => 400)]);
  });

  it('of another request is refused, because its verifier is another one', async () => {
    const [victim, attacker] = [await askPortal(), await askPortal()];
    const back = await signedIn(victim);
    const injected = new URL(injectInto(attacker, back));
    expect(await errorOf(exchange(attacker, injected))).toBe(400);
  });

  it('that another provider has led here is refused by the library: each answer names its own', async () => {
    const asked = await askPortal();
    expect(asked.config.serverMetadata()).toMatchObject({
      authorization_response_iss_parameter_supported: true,
    });
    const back = await signedIn(asked);
    expect(back.searchParams.get('iss')).toBe(scene().origin);
    const led = new URL(back);
    led.searchParams.set('iss', 'https://evil.example.test');
    await expect(exchange(asked, led)).rejects.toMatchObject({ code: 'OAUTH_INVALID_RESPONSE' });
    expect(await exchange(asked, back)).toHaveProperty('access_token');
  });

  it('of another client is refused', async () => {
    const victim = await askPortal();
    const back = await signedIn(victim);
    const attacker = await ask(scene(), { id: 'reader' });
    const grant = oidc.genericGrantRequest(attacker.config, 'authorization_code', {
      code: back.searchParams.get('code') ?? '',
      redirect_uri: victim.redirectUri,
      code_verifier: victim.checks.pkceCodeVerifier,
    });
    expect(await errorOf(grant)).toBe(400);
  });

  it('without a verifier is not given at all', async () => {
    const { url } = await askPortal();
    url.searchParams.delete('code_challenge');
    url.searchParams.delete('code_challenge_method');
    const visit = await openidBrowser().open(url);
    expect(visit.location?.searchParams.get('error')).toBe('invalid_request');
  });
});

describe('threat 121: a client', () => {
  it('can ask for no scope that is not its own', async () => {
    const asked = await ask(scene(), { id: 'reader', parameters: { scope: 'openid national_id' } });
    const visit = await openidBrowser().open(asked.url);
    expect(visit.location?.searchParams.get('error')).toBe('invalid_scope');
  });

  it('gets no claim by the claims parameter that its scopes would not give', async () => {
    const wish = { national_id: { essential: true }, name: null };
    const claims = JSON.stringify({ userinfo: wish, id_token: wish });
    const asked = await ask(scene(), { id: 'reader', parameters: { claims } });
    const tokens = await exchange(asked, await signedIn(asked));
    expect(tokens.claims()).not.toHaveProperty('national_id');
    const { sub = '' } = { ...tokens.claims() };
    const told = await oidc.fetchUserInfo(asked.config, tokens.access_token, sub);
    expect(told).not.toHaveProperty('national_id');
    expect(told).toHaveProperty('name');
  });

  it('is led to no address that is not its own', async () => {
    const { url } = await askPortal();
    for (const address of [
      'https://portal.example.test/cb/',
      'https://portal.example.test/cb?a=b',
      'https://portal.example.test.evil.test/cb',
      'http://portal.example.test/cb',
    ]) {
      url.searchParams.set('redirect_uri', address);
      const visit = await openidBrowser().open(url);
      expect([visit.status, visit.location]).toEqual([400, null]);
    }
  });

  it('that the operator has removed is unknown at once', async () => {
    const portal = { ...OPENID_CLIENTS.portal, id: 'removed', keys: ['mfk_removed_0123456789'] };
    const own = await openStrictOpenid(onTestFinished, [OPENID_CLIENTS.reader, portal]);
    const asked = await ask(own, { id: 'reader' });
    const tokens = await exchange(asked, await signedIn(asked));
    const second = await ask(own, { id: 'reader' });
    const back = await signedIn(second);
    writeClientsFile(dirname(own.clientsFile), [portal]);
    await own.service.reload();
    const sub = String(tokens.claims()?.sub);
    const told = errorOf(oidc.fetchUserInfo(asked.config, tokens.access_token, sub));
    expect([await told, await errorOf(exchange(second, back))]).toEqual([401, 401]);
    expect((await openidBrowser().open(second.url)).status).toBe(400);
  });

  it('has of what it was given before only what the clients file still lets it have', async () => {
    const { portal } = OPENID_CLIENTS;
    const own = await openStrictOpenid(onTestFinished, [portal]);
    const told = {
      scope: 'openid profile national_id offline_access',
      claims: JSON.stringify({ userinfo: { birthdate: null } }),
    };
    const asked = await ask(own, { id: 'portal', parameters: { ...LASTING, ...told } });
    const tokens = await exchange(asked, await signedIn(asked));
    const sub = String(tokens.claims()?.sub);
    const has = async (token: string) => ({
      claims: Object.keys(await oidc.fetchUserInfo(asked.config, token, sub)).filter((claim) =>
        ['name', 'national_id', 'birthdate'].includes(claim),
      ),
      scope: (await oidc.tokenIntrospection(asked.config, token)).scope,
    });
    const allowed = async (scope: string) => {
      const entry = { ...portal, openid: { ...portal.openid, scope } };
      writeClientsFile(dirname(own.clientsFile), [entry]);
      await own.service.reload();
    };
    const all = { claims: ['name', 'national_id', 'birthdate'], scope: told.scope };
    expect(await has(tokens.access_token)).toEqual(all);
    const less = { claims: ['name'], scope: 'openid profile offline_access' };
    await allowed(less.scope);
    expect(await has(tokens.access_token)).toEqual(less);
    const next = await oidc.refreshTokenGrant(asked.config, String(tokens.refresh_token));
    expect(next.scope).toBe(less.scope);
    expect(await has(next.access_token)).toEqual(less);
    await allowed('openid profile');
    const refreshed = oidc.refreshTokenGrant(asked.config, String(next.refresh_token));
    expect(await errorOf(refreshed)).toBe(400);
    expect((await has(next.access_token)).scope).toBe('openid profile');
    const unusable = await oidc.tokenIntrospection(asked.config, String(next.refresh_token));
    expect(unusable).toEqual({ active: false });
  });

  it('with a wrong secret gets nothing', async () => {
    const authorization = `Basic ${btoa('portal:mfk_portal_wrong')}`;
    const url = `${scene().origin}/openid/par`;
    const pushed = await fetch(url, { method: 'POST', headers: { authorization } });
    expect(pushed.status).toBe(401);
  });
});

/** A sign-in that was approved, and whose browser waits before it goes on to the application. */
async function heldBack() {
  const asked = await askPortal();
  const browser = openidBrowser();
  let visit = await browser.open(await signInIn(browser, await beginIn(browser, asked)));
  while (visit.location?.pathname.startsWith('/openid/interaction/') === false) {
    visit = await browser.open(visit.location);
  }
  return async () => {
    const { status, location } = await browser.open(visit.location ?? '');
    return [status, location?.searchParams.get('code') ?? null];
  };
}

async function stopped(stop: 'disable' | 'revoke' | 'erase') {
  const [first, second] = [await askPortal(LASTING), await askPortal()];
  const tokens = await exchange(first, await signedIn(first));
  const back = await signedIn(second);
  const goOn = await heldBack();
  const sub = String(tokens.claims()?.sub);
  const store = await openStoreBeside(scene().service);
  const user = await store.findSubject(sub);
  if (user === null) throw new Error('nobody has this sub');
  const [userId, at] = [user.id, Date.now()];
  if (stop === 'disable') await store.disableUser(userId, at);
  else if (stop === 'revoke') await store.revokeAll(at, { userId });
  else await store.eraseUser({ userId, at, pushesOf: [], keepsOut: null });
  const refresh = () => oidc.refreshTokenGrant(first.config, String(tokens.refresh_token));
  const results = {
    userinfo: await errorOf(oidc.fetchUserInfo(first.config, tokens.access_token, sub)),
    code: await errorOf(exchange(second, back)),
    refresh: await errorOf(refresh()),
    introspection: await oidc.tokenIntrospection(first.config, tokens.access_token),
    goOn: await goOn(),
  };
  if (stop === 'disable') {
    const third = await askPortal();
    const refused = await signedIn(third);
    await store.enableUser(userId, at);
    const signIn = refused.searchParams.get('error');
    return { ...results, signIn, enabledAgain: await errorOf(refresh()) };
  }
  return results;
}

describe('threat 122: a person whom the operator has stopped', () => {
  const over = {
    userinfo: 401,
    code: 400,
    refresh: 400,
    introspection: { active: false },
    goOn: [303, null],
  };

  it('by disabling them: no token, no claims, no new sign-in, and no 500', async () => {
    const more = { signIn: 'access_denied', enabledAgain: 400 };
    expect(await stopped('disable')).toEqual({ ...over, ...more });
  });

  it('by revoke: what was given is over', async () => {
    expect(await stopped('revoke')).toEqual(over);
  });

  it('by erase: what was given is over, and nobody knows the sign-in', async () => {
    expect(await stopped('erase')).toEqual({ ...over, goOn: [404, null] });
  });
});

async function lasting() {
  const asked = await askPortal(LASTING);
  const tokens = await exchange(asked, await signedIn(asked));
  const refresh = (token = String(tokens.refresh_token)) =>
    oidc.refreshTokenGrant(asked.config, token);
  return { ...asked, tokens, refresh };
}

describe('threat 124: a refresh token', () => {
  it('used twice ends all that was given with it, and the log says so', async () => {
    const { config, tokens, refresh } = await lasting();
    const thief = await refresh();
    const sub = String(tokens.claims()?.sub);
    const answers = [
      await errorOf(refresh()),
      await errorOf(refresh(String(thief.refresh_token))),
      await errorOf(oidc.fetchUserInfo(config, thief.access_token, sub)),
      await errorOf(oidc.fetchUserInfo(config, tokens.access_token, sub)),
    ];
    expect(answers).toEqual([400, 400, 401, 401]);
    const store = await openStoreBeside(scene().service);
    const { id } = (await store.findSubject(sub)) ?? {};
    const rows = async () => store.readAudit({ after: 0, limit: 10_000 });
    const of = { client: 'portal', action: 'openid.grant_ended', userId: id };
    expect(await rows()).toContainEqual(expect.objectContaining(of));
    await expect
      .poll(rows)
      .toContainEqual(expect.objectContaining({ client: 'portal', action: 'openid.refused' }));
  });

  it('used twelve times at once gives one answer at most, which ends too, and nothing breaks', async () => {
    const { config, tokens, refresh } = await lasting();
    const racers = await Promise.allSettled(Array.from({ length: 12 }, () => refresh()));
    const won = racers.filter((one) => one.status === 'fulfilled').map(({ value }) => value);
    const lost = racers.filter((one) => one.status === 'rejected');
    expect(won.length).toBeLessThanOrEqual(1);
    expect(new Set(lost.map(({ reason }) => (reason as { status: number }).status))).toEqual(
      new Set([400]),
    );
    const sub = String(tokens.claims()?.sub);
    for (const { access_token, refresh_token } of [...won, tokens]) {
      expect(await errorOf(refresh(String(refresh_token)))).toBe(400);
      expect(await errorOf(oidc.fetchUserInfo(config, access_token, sub))).toBe(401);
    }
  });

  it('of another client is refused, and stays good', async () => {
    const { tokens, refresh } = await lasting();
    const reader = await ask(scene(), { id: 'reader' });
    const stolen = oidc.refreshTokenGrant(reader.config, String(tokens.refresh_token));
    expect(await errorOf(stolen)).toBe(400);
    expect(await errorOf(refresh())).toBe('it was answered');
  });
});

describe('threat 125: a token in the hands of another client', () => {
  const others = share((atEnd) => openStrictOpenid(atEnd, OTHER_CLIENTS));

  it('tells it nothing, and it can end nothing', async () => {
    const asked = await ask(others(), { id: 'portal', parameters: LASTING });
    const tokens = await exchange(asked, await signedIn(asked));
    const both = [tokens.access_token, String(tokens.refresh_token)];
    for (const [id, auth] of [
      ['other', oidc.ClientSecretBasic(OTHER_KEY)],
      ['reader', oidc.None()],
    ] as const) {
      const config = await discovered(others().origin, id, auth);
      for (const token of both) {
        expect(await oidc.tokenIntrospection(config, token)).toEqual({ active: false });
        expect(await errorOf(oidc.tokenRevocation(config, token))).toBe(400);
      }
    }
    for (const token of both) {
      expect(await oidc.tokenIntrospection(asked.config, token)).toMatchObject({ active: true });
    }
  });

  it('not even to itself, where it can not prove who it is', async () => {
    const asked = await ask(others(), { id: 'reader' });
    const tokens = await exchange(asked, await signedIn(asked));
    const told = await oidc.tokenIntrospection(asked.config, tokens.access_token);
    expect(told).toEqual({ active: false });
  });
});
