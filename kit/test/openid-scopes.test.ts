import * as oidc from 'openid-client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { connectMiftah, type TestMiftah } from '../src/index.ts';
import { asked, configured, PORTAL } from './support/openid.ts';
import { opened } from './support/instances.ts';

/** OpenID clients of tests that share an instance: the id of each names its scope. */

const SCOPE = 'worker-1';

async function inScope({ url }: TestMiftah, scope = SCOPE): Promise<TestMiftah> {
  const scoped = await connectMiftah(url, { scope });
  onTestFinished(() => scoped.stop());
  return scoped;
}

async function attemptsOf({ url }: TestMiftah, scope: string) {
  const headers = { 'x-miftah-scope': scope };
  const answer = await fetch(`${url}/simulator/attempts`, { headers });
  return ((await answer.json()) as { data: { id: string; scope: string }[] }).data;
}

describe.each([
  ['plain', { openid: true }, 'demo-web', 'mfk_test_demo_web'],
  ['strict', { strict: true, clients: [PORTAL] }, PORTAL.id, PORTAL.keys[0]],
] as const)('an OpenID client of a scope, in %s mode', (_, options, id, secret) => {
  it('signs in the people of its scope, who are others elsewhere', async () => {
    const miftah = await opened(options);
    const scoped = await inScope(miftah);
    const { amal } = scoped.people;
    await scoped.putPerson({ ...amal, id: 'grandmother', nationalId: '1000012201' });
    const subs = [];
    for (const [one, named, person] of [
      [miftah, id, 'amal'],
      [scoped, `${id}@${SCOPE}`, 'amal'],
      [scoped, `${id}@${SCOPE}`, 'grandmother'],
    ] as const) {
      const config = await configured(miftah, named, secret);
      const { address, checks } = await asked(config);
      const { returnAddress } = await one.browser.approve(address, { person });
      const tokens = await oidc.authorizationCodeGrant(config, returnAddress, checks);
      const { sub = '', aud } = tokens.claims() ?? {};
      expect(aud).toBe(named);
      await oidc.fetchUserInfo(config, tokens.access_token, sub);
      subs.push(sub);
    }
    expect(new Set(subs).size).toBe(3);
    const attempts = await Promise.all(['default', SCOPE].map((one) => attemptsOf(miftah, one)));
    expect(attempts.map((own) => own.length)).toEqual([1, 2]);
    const [newest = { id: '' }] = attempts[1] ?? [];
    const headers = { 'x-miftah-scope': SCOPE };
    const line = await fetch(`${miftah.url}/simulator/attempts/${newest.id}`, { headers });
    const { data } = (await line.json()) as { data: { entries: { name: string }[] } };
    expect(data.entries.at(-1)?.name).toBe('openidUserinfo');
  });

  it('has the prompts, outcomes and faults of its scope alone', async () => {
    const miftah = await opened(options);
    const scoped = await inScope(miftah);
    const login_hint = miftah.people.amal.nationalId;
    const push = async (named: string) => {
      const config = await configured(miftah, named, secret);
      const asking = { scope: 'openid', login_hint };
      const begun = await oidc.initiateBackchannelAuthentication(config, asking);
      return () => oidc.pollBackchannelAuthenticationGrant(config, { ...begun, interval: 0.1 });
    };
    await scoped.faults({ operation: 'any', status: 503, rate: 1, times: 1 });
    await expect(push(`${id}@${SCOPE}`)).rejects.toMatchObject({ cause: { status: 503 } });
    const poll = await push(`${id}@${SCOPE}`);
    const prompts = await Promise.all([miftah, scoped].map(({ phone }) => phone.prompts()));
    expect(prompts.map((own) => own.length)).toEqual([0, 1]);
    await scoped.phone.approve();
    expect((await poll()).claims()).toHaveProperty('sub');
    await scoped.next('refuses');
    const other = await push(id);
    await miftah.phone.approve();
    expect((await other()).claims()).toHaveProperty('sub');
    const refused = await push(`${id}@${SCOPE}`);
    await expect(refused()).rejects.toMatchObject({ error: 'access_denied' });
  });

  it('is refused by whoever has another scope, whose outcomes it would not meet', async () => {
    const miftah = await opened(options);
    const scoped = await inScope(miftah);
    expect([miftah.scope, scoped.scope]).toEqual(['default', SCOPE]);
    const { address: plain } = await asked(await configured(miftah, id, secret));
    const { address } = await asked(await configured(miftah, `${id}@${scoped.scope}`, secret));
    await expect(scoped.browser.approve(plain)).rejects.toThrow(
      `of ${id} is of the scope default, and this Miftah has the scope ${SCOPE}: its client is ${id}@`,
    );
    await expect(miftah.browser.refuse(address)).rejects.toThrow(`: its client is ${id}.`);
  });

  it.each([`${id}@`, `${id}@Worker`, `${id}@a@b`, `nobody@${SCOPE}`, `@${SCOPE}`])(
    'is not there as %s',
    async (named) => {
      const miftah = await opened(options);
      const config = await configured(miftah, named, secret);
      const asking = { scope: 'openid', login_hint: miftah.people.amal.nationalId };
      await expect(oidc.initiateBackchannelAuthentication(config, asking)).rejects.toMatchObject({
        error: 'invalid_client',
      });
    },
  );
});
