import * as oidc from 'openid-client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { connectMiftah, type FaultRule } from '../src/index.ts';
import { asked, configured } from './support/openid.ts';
import { opened, share } from './support/instances.ts';

/** The endpoints that an OpenID client calls fail, by the rules of the provider's faults. */

const DEMO = ['demo-web', 'mfk_test_demo_web'] as const;

describe('a fault of the OpenID Provider', () => {
  const shared = share({ openid: true });
  const met = async (rule: FaultRule) => {
    await shared().faults(rule);
    onTestFinished(async () => void (await shared().faults([])));
  };

  it('refuses a code once, which is as good as before', async () => {
    const miftah = shared();
    const config = await configured(miftah, ...DEMO);
    const { address, checks } = await asked(config);
    const { returnAddress } = await miftah.browser.approve(address);
    await met({ operation: 'openid_token', status: 503, times: 1 });
    const redeem = () => oidc.authorizationCodeGrant(config, returnAddress, checks);
    await expect(redeem()).rejects.toMatchObject({ cause: { status: 503 } });
    const tokens = await redeem();
    expect(await miftah.faults()).toMatchObject([{ seen: 2, hits: 1 }]);
    const { sub = '' } = tokens.claims() ?? {};
    await met({ operation: 'openid_userinfo', answer: 'cut', times: 1 });
    const headers = { authorization: `Bearer ${tokens.access_token}` };
    const read = async () => (await fetch(`${miftah.url}/openid/userinfo`, { headers })).text();
    await expect(read()).rejects.toThrow('terminated');
    expect(await read()).toContain(sub);
  });

  it.each([
    ['openid_jwks', '/openid/jwks'],
    ['openid_discovery', '/.well-known/openid-configuration'],
  ] as const)('is one of %s alone', async (operation, path) => {
    const { url } = shared();
    await met({ operation, answer: 'malformed', times: 1 });
    const half = await fetch(url + path);
    expect([half.status, half.headers.get('content-type')]).toEqual([
      200,
      expect.stringContaining('json'),
    ]);
    await expect(half.json()).rejects.toThrow(SyntaxError);
    await (await fetch(url + path)).json();
    await met({ operation, latencyMs: 1, times: 1 });
    await (await fetch(url + path)).json();
    expect(await shared().faults()).toMatchObject([{ hits: 1 }]);
    // Those of the national provider are no faults of its own.
    await met({ operation: 'any', status: 500 });
    expect((await fetch(url + path)).status).toBe(200);
  });

  it('is one of the whole instance, so no scope sets it', async () => {
    const scoped = await connectMiftah(shared().url, { scope: 'worker-1' });
    onTestFinished(() => scoped.stop());
    const fault = { operation: 'openid_jwks', status: 500 } as const;
    await expect(scoped.faults(fault)).rejects.toThrow('openid.of_instance: ');
    expect((await fetch(`${shared().url}/openid/jwks`)).status).toBe(200);
  });

  it.each([{}, { openid: true, strict: true }])('is none with %j', async (options) => {
    const miftah = await opened(options);
    const fault = { operation: 'openid_jwks', status: 500 } as const;
    await expect(miftah.faults(fault)).rejects.toThrow('openid.elsewhere: ');
  });
});
