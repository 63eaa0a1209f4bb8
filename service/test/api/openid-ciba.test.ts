import * as oidc from 'openid-client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { SIGNING_KEYS } from '../../src/account/openid-keys.ts';
import { createMemoryStore } from '../../src/store/index.ts';
import { memberOf } from '../../src/values/member.ts';
import { share } from '../support/at-end.ts';
import { decideOnPhoneOf } from '../support/client/web-example.ts';
import { errorOf, startPush } from '../support/openid/ciba.ts';
import {
  discovered,
  OPENID_CLIENTS,
  openOpenid,
  openStrictOpenid,
  PORTAL_KEY,
} from '../support/openid/openid-scene.ts';
import { openStoreBeside } from '../support/openid/store-beside.ts';
import { outcomeNumber } from '../support/service/outcome-number.ts';

/** CIBA Core 1.0 by poll, as openid-client speaks it. */

const AMAL = '1000001101';
const scene = share((atEnd) => openStrictOpenid(atEnd, Object.values(OPENID_CLIENTS)));

const matching = (form: RegExp | string): unknown => expect.stringMatching(form);
const config = () => discovered(scene().origin, 'portal', oidc.ClientSecretBasic(PORTAL_KEY));
const decide = (decision: 'approve' | 'refuse') =>
  decideOnPhoneOf({ provider: scene().origin }, AMAL, decision);

describe('discovery', () => {
  it('names the endpoint and the grant', async () => {
    const about = (await config()).serverMetadata();
    expect(about).toMatchObject({
      backchannel_authentication_endpoint: `${scene().origin}/openid/backchannel`,
      backchannel_user_code_parameter_supported: false,
    });
    expect(about.grant_types_supported).toContain('urn:openid:params:grant-type:ciba');
  });
});

describe('a push by CIBA', () => {
  it('answers with the number, and gives the tokens once the person has chosen it', async () => {
    const { asked, poll, end } = await startPush(await config(), { login_hint: AMAL });
    const { auth_req_id, expires_in, interval, binding_message, ...rest } = asked;
    expect([auth_req_id, binding_message]).toEqual([
      matching(/^[\w-]{43}$/),
      matching(/^\d{2,6}$/),
    ]);
    expect([interval, rest]).toEqual([5, {}]);
    expect(expires_in).toBeGreaterThan(0);
    await expect(poll()).rejects.toMatchObject({ error: 'authorization_pending' });
    await decide('approve');
    const tokens = await end();
    const { sub, acr, amr, auth_time } = { ...tokens.claims() };
    expect(amr).toEqual(['mca']);
    expect([typeof sub, acr, typeof auth_time]).toEqual([
      'string',
      matching(/\/acr\/\d$/),
      'number',
    ]);
    const told = await oidc.fetchUserInfo(await config(), tokens.access_token, String(sub));
    expect(told).toMatchObject({ sub, name: matching(/^Amal/) });
    expect(told).not.toHaveProperty('national_id');
  });

  it('is one row of the audit log, of the person and the client', async () => {
    const store = await openStoreBeside(scene().service);
    const before = (await store.readAudit({ after: 0, limit: 10_000 })).length;
    const { end } = await startPush(await config(), { login_hint: AMAL });
    await decide('approve');
    const user = await store.findSubject(String((await end()).claims()?.sub));
    const rows = await store.readAudit({ after: before, limit: 100 });
    expect(rows.filter(({ action }) => /openid|token/.test(action))).toMatchObject([
      { action: 'openid.signed_in', client: 'portal', userId: user?.id },
    ]);
  });

  it('is finished by openid-client alone', async () => {
    const own = await config();
    const { asked } = await startPush(own, { login_hint: AMAL });
    const tokens = oidc.pollBackchannelAuthenticationGrant(own, { ...asked, interval: 0.1 });
    await decide('approve');
    expect((await tokens).claims()).toHaveProperty('sub');
  });

  it('takes an ID token of before for whom it asks', async () => {
    const first = await startPush(await config(), { login_hint: AMAL });
    await decide('approve');
    const tokens = await first.end();
    const hint = String(tokens.id_token);
    const { end } = await startPush(await config(), { id_token_hint: hint });
    await decide('approve');
    expect((await end()).claims()?.sub).toBe(tokens.claims()?.sub);
  });

  it('gives a refresh token to who asks for offline_access', async () => {
    const scope = 'openid profile offline_access';
    const { end } = await startPush(await config(), { login_hint: AMAL, scope });
    await decide('approve');
    const next = await oidc.refreshTokenGrant(await config(), String((await end()).refresh_token));
    expect(next.claims()).toHaveProperty('sub');
  });

  it('that is refused on the phone is access_denied, each time that it is asked for', async () => {
    const { end, poll } = await startPush(await config(), { login_hint: AMAL });
    await decide('refuse');
    const denied = { error: 'access_denied', error_description: matching('refused') };
    await expect(end()).rejects.toMatchObject(denied);
    await expect(poll()).rejects.toMatchObject(denied);
  });

  it.each([
    ['an essential level', { acr: { essential: true, values: ['urn:never'] } }],
    ['somebody', { sub: { value: 'another' } }],
  ])('that can not be by %s that was insisted on is access_denied', async (_, id_token) => {
    const claims = JSON.stringify({ id_token });
    const { end, poll } = await startPush(await config(), { login_hint: AMAL, claims });
    await decide('approve');
    await expect(end()).rejects.toMatchObject({ error: 'access_denied' });
    await expect(poll()).rejects.toMatchObject({ error: 'access_denied' });
  });

  it('ends when the client has wished it to, with expired_token', async () => {
    const asked = await startPush(await config(), { login_hint: AMAL, requested_expiry: '1' });
    expect(asked.asked.expires_in).toBe(1);
    await expect
      .poll(async () => errorOf((await Promise.allSettled([asked.poll()]))[0]))
      .toBe('expired_token');
    await expect(decide('refuse')).rejects.toThrow();
  });
});

describe('a push whose client has wished for an early end', () => {
  it('ends by the clock of the simulation, and nobody can approve it any more', async () => {
    const at = await openOpenid(onTestFinished);
    const auth = oidc.ClientSecretBasic('mfk_test_demo_web');
    const own = await discovered(at.origin, 'demo-web', auth);
    const { poll } = await startPush(own, { login_hint: AMAL, requested_expiry: '30' });
    const advance = async (by: string) => {
      const headers = { 'content-type': 'application/json' };
      const body = JSON.stringify({ advance: by });
      await fetch(`${at.origin}/simulator/clock`, { method: 'POST', headers, body });
    };
    await advance('20s');
    await expect(poll()).rejects.toMatchObject({ error: 'authorization_pending' });
    await advance('11s');
    for (const _ of [1, 2]) await expect(poll()).rejects.toMatchObject({ error: 'expired_token' });
    await expect(decideOnPhoneOf({ provider: at.origin }, AMAL)).rejects.toThrow();
  });
});

/** Called from time to time. */
const NOT_OF_REQUESTS: ReadonlySet<string | symbol> = new Set(['health', 'recover']);

describe('in the store', () => {
  const counted = share(async (atEnd) => {
    const calls: string[] = [];
    const gates: { readonly name: string; readonly opened: Promise<void> }[] = [];
    const store = new Proxy(createMemoryStore(), {
      get(memory, name, self) {
        const work: unknown = Reflect.get(memory, name, self);
        if (typeof work !== 'function') return work;
        return async (...values: unknown[]) => {
          // The signing keys are read anew from time to time, by whichever request comes then.
          const isOfRequest = memberOf(values[0], 'model') !== SIGNING_KEYS.model;
          if (isOfRequest && !NOT_OF_REQUESTS.has(name)) calls.push(String(name));
          if (name === gates[0]?.name) await gates.shift()?.opened;
          return Reflect.apply(work, memory, values) as unknown;
        };
      },
    });
    return { calls, gates, at: await openOpenid(atEnd, {}, { openStore: async () => store }) };
  });
  const begun = async (login_hint = AMAL) => {
    const auth = oidc.ClientSecretBasic('mfk_test_demo_web');
    const own = await discovered(counted().at.origin, 'demo-web', auth);
    counted().calls.length = 0;
    return startPush(own, { login_hint });
  };

  it('a push and its request are written by one call', async () => {
    const { poll } = await begun();
    expect(counted().calls).toEqual(['insertAttempt']);
    await expect(poll()).rejects.toMatchObject({ error: 'authorization_pending' });
  });

  it('of a push that is not sent there is no request', async () => {
    const unknown = outcomeNumber('unknown_record');
    await expect(begun(unknown)).rejects.toMatchObject({ error: 'unknown_user_id' });
    expect(counted().calls).toEqual([]);
  });

  it('a poll before the decision reads the request and its attempt once, and writes nothing', async () => {
    const { poll } = await begun();
    const { calls } = counted();
    calls.length = 0;
    await expect(poll()).rejects.toMatchObject({ error: 'authorization_pending' });
    expect(calls).toEqual(['findOpenid', 'findAttempt']);
  });

  it('such a poll waits for no other one', async () => {
    const { poll } = await begun();
    const { calls, gates } = counted();
    calls.length = 0;
    const gate = Promise.withResolvers<void>();
    gates.push({ name: 'findAttempt', opened: gate.promise });
    const first = poll();
    await expect.poll(() => calls).toContain('findAttempt');
    const pending = { error: 'authorization_pending' };
    await expect(poll()).rejects.toMatchObject(pending);
    gate.resolve();
    await expect(first).rejects.toMatchObject(pending);
  });
});

describe('in plain simulation', () => {
  const plain = share((atEnd) => openOpenid(atEnd));

  it('the built-in client with a secret may ask too', async () => {
    const auth = oidc.ClientSecretBasic('mfk_test_demo_web');
    const own = await discovered(plain().origin, 'demo-web', auth);
    const { poll, end } = await startPush(own, { login_hint: AMAL });
    await expect(poll()).rejects.toMatchObject({ error: 'authorization_pending' });
    await decideOnPhoneOf({ provider: plain().origin }, AMAL);
    expect((await end()).claims()).toHaveProperty('sub');
  });
});

describe('a client without redirect addresses', () => {
  const calls = { ...OPENID_CLIENTS.portal, id: 'calls', keys: ['mfk_calls_0123456789abcdef'] };
  const openid = { redirect_uris: [], backchannel_token_delivery_mode: 'poll' };
  const only = share((atEnd) => openStrictOpenid(atEnd, [{ ...calls, openid }]));

  it('signs people in by pushes alone', async () => {
    const auth = oidc.ClientSecretBasic('mfk_calls_0123456789abcdef');
    const own = await discovered(only().origin, 'calls', auth);
    const { end } = await startPush(own, { login_hint: AMAL, scope: 'openid' });
    await decideOnPhoneOf({ provider: only().origin }, AMAL);
    expect((await end()).claims()).toHaveProperty('sub');
    const page = await fetch(`${only().origin}/openid/authorize?client_id=calls&scope=openid`, {
      redirect: 'manual',
    });
    expect([page.status, page.headers.get('location')]).toEqual([400, null]);
  });
});

describe('a request that can’t be taken', () => {
  it.each([
    ['invalid_binding_message', 'makes the number', { binding_message: '12' }],
    ['invalid_request', 'user_code', { user_code: '1234' }],
    ['invalid_request', 'login_hint_token', { login_hint: '', login_hint_token: 'a.b.c' }],
    ['invalid_request', 'missing one of', { login_hint: '' }],
    ['unknown_user_id', 'ten digits', { login_hint: '100000110' }],
    ['unknown_user_id', 'national id', { login_hint: 'amal@example.test' }],
    ['unknown_user_id', 'no such person', { login_hint: '1999999999' }],
    ['invalid_request', 'id_token_hint', { login_hint: '', id_token_hint: 'nothing' }],
    ['invalid_request', 'requested_expiry', { requested_expiry: '0' }],
    ['invalid_request', 'openid scope', { scope: 'profile' }],
  ])('is %s, which says %s', async (error, words, parameters) => {
    const begun = startPush(await config(), { login_hint: AMAL, ...parameters });
    await expect(begun).rejects.toMatchObject({
      error,
      error_description: matching(words),
    });
  });
});
