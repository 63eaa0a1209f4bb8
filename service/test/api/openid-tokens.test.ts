import * as oidc from 'openid-client';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { share } from '../support/at-end.ts';
import {
  ask,
  exchange,
  LASTING,
  OPENID_CLIENTS,
  openStrictOpenid,
  PORTAL_KEY,
  signedIn,
} from '../support/openid/openid-scene.ts';
import { openStoreBeside } from '../support/openid/store-beside.ts';
import { DAY_MS } from '../../src/values/time.ts';

/** What becomes of a client's tokens after the sign-in: RFC 6749 section 6, RFC 7009, RFC 7662. */

const scene = share((atEnd) => openStrictOpenid(atEnd, Object.values(OPENID_CLIENTS)));

async function lasting() {
  const asked = await ask(scene(), { id: 'portal', parameters: LASTING });
  const tokens = await exchange(asked, await signedIn(asked));
  return { config: asked.config, tokens, refreshToken: String(tokens.refresh_token) };
}

const post = (path: string, form: Record<string, string>, headers: Record<string, string> = {}) =>
  fetch(scene().origin + path, { method: 'POST', body: new URLSearchParams(form), headers });

describe('a refresh token', () => {
  it('gives new tokens for the same person and sign-in, and another one of its kind', async () => {
    const { config, tokens, refreshToken } = await lasting();
    const next = await oidc.refreshTokenGrant(config, refreshToken);
    const { sub, acr, auth_time } = { ...tokens.claims() };
    expect(next.claims()).toMatchObject({ sub, acr, auth_time });
    expect(next.refresh_token).toMatch(/^[\w-]{43}$/);
    expect(next.refresh_token).not.toBe(refreshToken);
    const told = await oidc.fetchUserInfo(config, next.access_token, String(sub));
    expect(told).toHaveProperty('name');
  });

  it('may give less, and never more than was granted', async () => {
    const { config, refreshToken } = await lasting();
    const less = await oidc.refreshTokenGrant(config, refreshToken, { scope: 'openid' });
    expect(less.scope).toBe('openid');
    const more = oidc.refreshTokenGrant(config, String(less.refresh_token), {
      scope: 'openid national_id',
    });
    await expect(more).rejects.toMatchObject({ error: 'invalid_scope' });
  });

  it.each([
    ['who does not ask for consent', 'portal', { scope: LASTING.scope }],
    ['without the scope in the clients file', 'reader', LASTING],
  ] as const)('is not given to a client %s', async (_, id, parameters) => {
    const asked = await ask(scene(), { id, parameters });
    const tokens = await exchange(asked, await signedIn(asked));
    expect(tokens.refresh_token).toBeUndefined();
    expect(tokens.scope).toBe('openid profile');
  });

  it('ends TOKEN_LIFETIME after the sign-in, however often it was changed', async () => {
    const { config, refreshToken } = await lasting();
    const begun = Date.now();
    vi.useFakeTimers({ toFake: ['Date'], now: begun + 29 * DAY_MS });
    onTestFinished(() => void vi.useRealTimers());
    const late = await oidc.refreshTokenGrant(config, refreshToken);
    vi.setSystemTime(begun + 31 * DAY_MS);
    const tooLate = oidc.refreshTokenGrant(config, String(late.refresh_token));
    await expect(tooLate).rejects.toMatchObject({ error: 'invalid_grant' });
  });
});

describe('introspection', () => {
  it('tells the client whose token it is, and until when', async () => {
    const { config, tokens, refreshToken } = await lasting();
    const common = { active: true, client_id: 'portal', sub: tokens.claims()?.sub };
    const access = await oidc.tokenIntrospection(config, tokens.access_token);
    expect(access).toMatchObject({ ...common, token_type: 'Bearer', scope: LASTING.scope });
    expect(access.exp).toBe(Number(access.iat) + 600);
    expect(await oidc.tokenIntrospection(config, refreshToken)).toMatchObject(common);
    expect(access).not.toHaveProperty('national_id');
  });

  it('knows nothing of what is no token', async () => {
    const { config } = await ask(scene(), { id: 'portal' });
    expect(await oidc.tokenIntrospection(config, 'nothing')).toEqual({ active: false });
  });
});

describe('revocation', () => {
  it.each(['access_token', 'refresh_token'] as const)(
    'by an %s ends all that was given with it, and the log says so',
    async (which) => {
      const store = await openStoreBeside(scene().service);
      const before = (await store.readAudit({ after: 0, limit: 10_000 })).length;
      const { config, tokens, refreshToken } = await lasting();
      await oidc.tokenRevocation(config, String(tokens[which]));
      const both = [tokens.access_token, refreshToken];
      for (const token of both) {
        expect(await oidc.tokenIntrospection(config, token)).toEqual({ active: false });
      }
      const refreshed = oidc.refreshTokenGrant(config, refreshToken);
      await expect(refreshed).rejects.toMatchObject({ error: 'invalid_grant' });
      const rows = (await store.readAudit({ after: before, limit: 100 })).filter(({ action }) =>
        action.startsWith('openid.'),
      );
      expect(rows.map(({ action }) => action).slice(0, 3)).toEqual([
        'openid.signed_in',
        'openid.grant_issued',
        'openid.grant_ended',
      ]);
      const user = await store.findSubject(String(tokens.claims()?.sub));
      expect(new Set(rows.slice(0, 3).map(({ userId }) => userId))).toEqual(new Set([user?.id]));
      expect(new Set(rows.map(({ client }) => client))).toEqual(new Set(['portal']));
    },
  );

  it('of what is no token is answered as one that was done', async () => {
    const authorization = `Basic ${btoa(`portal:${PORTAL_KEY}`)}`;
    const answer = await post('/openid/revoke', { token: 'nothing' }, { authorization });
    expect(answer.status).toBe(200);
  });
});

it.each(['/openid/introspect', '/openid/revoke'])('%s asks who is calling', async (path) => {
  const [nobody, wrong] = [
    await post(path, { token: 'nothing' }),
    await post(
      path,
      { token: 'nothing' },
      { authorization: `Basic ${btoa('portal:mfk_wrong_key')}` },
    ),
  ];
  expect([nobody.status, wrong.status]).toEqual([400, 401]);
});
