import { createClient } from '@miftah/client';
import * as oidc from 'openid-client';
import { describe, expect, it } from 'vitest';
import type { TestMiftah } from '../src/index.ts';
import { asked, configured, PORTAL } from './support/openid.ts';
import { opened, share } from './support/instances.ts';

/** What the coach says of applications: nothing of the client, and what is wrong with careless ones. */

interface Told {
  readonly entries: readonly { readonly name: string }[];
  readonly findings: readonly { readonly rule: string }[];
}

async function read({ url }: TestMiftah, { id }: { readonly id: string }): Promise<Told> {
  const answer = await fetch(`${url}/simulator/attempts/${id}`);
  const { data } = (await answer.json()) as { readonly data: Told };
  return data;
}

const rulesOf = (told: Told) => told.findings.map(({ rule }) => rule);

/** Of now, and of when everything that the coach waits for has passed. */
async function findings(miftah: TestMiftah, attempt: { readonly id: string }) {
  const now = await read(miftah, attempt);
  await miftah.clock.advance('10m');
  const later = await read(miftah, attempt);
  return {
    names: new Set(later.entries.map(({ name }) => name)),
    rules: [...rulesOf(now), ...rulesOf(later)],
  };
}

describe.each([
  ['plain', false],
  ['strict', true],
])('of @miftah/client, in %s mode, the coach says nothing', (_, strict) => {
  const miftah = share(strict);
  const byPhone = () =>
    miftah().client().start({ locale: 'en', nationalId: miftah().people.amal.nationalId });

  it('when somebody signs in by phone', async () => {
    const attempt = await byPhone();
    const end = attempt.waitForResult();
    await miftah().phone.approve(attempt.id);
    expect((await end).status).toBe('authenticated');
    await attempt.issueToken({ deviceName: 'A phone' });
    const { names, rules } = await findings(miftah(), attempt);
    for (const name of ['startAttempt', 'watchStatus', 'issueToken']) expect(names).toContain(name);
    expect(rules).toEqual([]);
  });

  it('when somebody signs in by browser', async () => {
    const attempt = await miftah().client().start({ locale: 'en' });
    const { returnAddress } = await miftah().browser.approve(attempt);
    const completionCode = returnAddress.searchParams.get('completion_code') ?? '';
    await attempt.issueToken({ completionCode });
    expect((await findings(miftah(), attempt)).rules).toEqual([]);
  });

  it('when a back end keeps its rules by createLogin', async () => {
    const login = miftah().client().createLogin(new Map());
    const attempt = await login.start('session', { locale: 'ar' });
    const { returnAddress } = await miftah().browser.approve(attempt.authorizationUrl ?? '');
    const { outcome } = await login.finish('session', { returned: returnAddress.href });
    expect(outcome).toBe('authenticated');
    const id = returnAddress.searchParams.get('attempt_id') ?? '';
    expect((await findings(miftah(), { id })).rules).toEqual([]);
  });

  it('when somebody refuses, and when nobody answers', async () => {
    const refused = await byPhone();
    const end = refused.waitForResult();
    await miftah().phone.refuse(refused.id);
    expect((await end).status).toBe('rejected');
    expect((await findings(miftah(), refused)).rules).toEqual([]);
    const expired = await byPhone();
    const late = expired.waitForResult();
    await miftah().clock.advance('5m');
    expect((await late).status).toBe('expired');
    expect((await findings(miftah(), expired)).rules).toEqual([]);
  });

  it('when a browser never comes back', async () => {
    const attempt = await miftah().client().start({ locale: 'en' });
    expect((await findings(miftah(), attempt)).rules).toEqual([]);
  });
});

/** Of the newest attempt: an OpenID client knows no id of one. */
async function newestFindings(miftah: TestMiftah) {
  const answer = await fetch(`${miftah.url}/simulator/attempts`);
  const [attempt = { id: '' }] = ((await answer.json()) as { data: { id: string }[] }).data;
  return findings(miftah, attempt);
}

describe.each([
  ['plain', { openid: true }, 'demo-web', 'mfk_test_demo_web'],
  ['strict', { strict: true, clients: [PORTAL] }, PORTAL.id, PORTAL.keys[0]],
] as const)('of an OpenID client, in %s mode, the coach says', (_, options, id, secret) => {
  const signedIn = async (scope: string) => {
    const miftah = await opened(options);
    const config = await configured(miftah, id, secret);
    const { address, checks } = await asked(config, scope);
    const { returnAddress } = await miftah.browser.approve(address);
    const tokens = () => oidc.authorizationCodeGrant(config, returnAddress, checks);
    return { miftah, config, tokens };
  };

  it('nothing when it redeems the code and asks userinfo', async () => {
    const { miftah, config, tokens } = await signedIn('openid profile');
    const given = await tokens();
    await oidc.fetchUserInfo(config, given.access_token, String(given.claims()?.sub));
    const { names, rules } = await newestFindings(miftah);
    for (const name of ['openidToken', 'openidUserinfo']) expect(names).toContain(name);
    expect(rules).toEqual([]);
  });

  it('nothing when somebody signs in on a phone, or refuses', async () => {
    const miftah = await opened(options);
    const config = await configured(miftah, id, secret);
    for (const answer of ['approve', 'refuse'] as const) {
      const { nationalId } = miftah.people.amal;
      const asking = { scope: 'openid', login_hint: nationalId };
      const begun = await oidc.initiateBackchannelAuthentication(config, asking);
      await miftah.phone[answer]('amal');
      await oidc.pollBackchannelAuthenticationGrant(config, begun).catch(() => undefined);
      expect((await newestFindings(miftah)).rules).toEqual([]);
    }
  });

  it('what a careless one does wrong', async () => {
    const { miftah, tokens } = await signedIn('openid profile');
    await tokens();
    await expect(tokens()).rejects.toThrow();
    expect((await newestFindings(miftah)).rules).toEqual([
      'openid_code_twice',
      'openid_code_twice',
      'openid_no_userinfo',
    ]);
  });

  it('that there is no refresh token without consent', async () => {
    const { miftah, tokens } = await signedIn('openid offline_access');
    await tokens();
    const { rules } = await newestFindings(miftah);
    expect(rules).toEqual(['openid_gets_less', 'openid_gets_less']);
  });

  it('that a code was never redeemed', async () => {
    const { miftah } = await signedIn('openid profile');
    expect((await newestFindings(miftah)).rules).toEqual(['openid_no_tokens']);
  });
});

/** Where a proxy lets no stream through. */
const withoutStreams: typeof fetch = async (input, init) =>
  typeof input === 'string' && input.endsWith('/events')
    ? new Response(null, { status: 404 })
    : fetch(input, init);

describe('the coach', () => {
  it('says nothing of the client where streams do not come through', async () => {
    const miftah = await opened();
    const client = createClient({ baseUrl: miftah.baseUrl, fetch: withoutStreams });
    const attempt = await client.start({ locale: 'en', nationalId: miftah.people.amal.nationalId });
    const end = attempt.waitForResult();
    await miftah.phone.approve(attempt.id);
    await end;
    await attempt.issueToken();
    const { names, rules } = await findings(miftah, attempt);
    expect([names.has('readStatus'), names.has('watchStatus'), rules]).toEqual([true, false, []]);
  });

  it('says what a careless application does wrong, with the calls that show it', async () => {
    const miftah = await opened();
    const { attempt_id: id, attempt_token: token } = await startOf(miftah);
    const headers = { 'x-provider-attempt-token': token };
    const status = `${miftah.baseUrl}/status/${id}`;
    for (let polls = 0; polls < 20; polls += 1) await (await fetch(status, { headers })).text();
    await (await fetch(`${status}?attempt_token=${token}`)).text();
    await miftah.phone.approve(id);
    await miftah.waitFor(id, 'authenticated');
    await post(`${miftah.baseUrl}/token/${id}`, { attempt_token: token });
    const told = await read(miftah, { id });
    expect(rulesOf(told)).toEqual(['token_in_address', 'polls_too_fast', 'no_idempotency_key']);
    expect(JSON.stringify(told)).not.toContain(token);
  });

  it('says when the status was taken for a sign-in, and when nobody asked for the result', async () => {
    const miftah = await opened();
    const { attempt_id: id, attempt_token: token } = await startOf(miftah);
    await miftah.phone.approve(id);
    await miftah.waitFor(id, 'authenticated');
    expect(rulesOf(await read(miftah, { id }))).toEqual([]);
    const other = await startOf(miftah);
    await miftah.phone.refuse(other.attempt_id);
    const headers = { 'x-provider-attempt-token': token };
    await (await fetch(`${miftah.baseUrl}/status/${id}`, { headers })).text();
    await miftah.clock.advance('3m');
    expect(rulesOf(await read(miftah, { id }))).toEqual(['identity_from_status']);
    expect(rulesOf(await read(miftah, { id: other.attempt_id }))).toEqual(['never_finishes']);
  });
});

type Started = { readonly attempt_id: string; readonly attempt_token: string };

async function startOf({ baseUrl, people }: TestMiftah): Promise<Started> {
  const body = { locale: 'en', national_id: people.amal.nationalId };
  return ((await post(`${baseUrl}/start`, body)) as { data: Started }).data;
}

async function post(address: string, body: object): Promise<unknown> {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(address, { method: 'POST', headers, body: JSON.stringify(body) });
  return answer.json();
}
