import * as oidc from 'openid-client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startMiftah, type StartOptions, type TestMiftah } from '../src/index.ts';

/** The kit as an OpenID Provider for the test of an OpenID client. */

const REDIRECT = 'http://127.0.0.1:9/cb';
const PORTAL = {
  id: 'portal',
  name: { ar: 'بوابة', en: 'Portal' },
  type: 'confidential',
  returnAddresses: [],
  keys: ['mfk_portal_0123456789'],
  openid: {
    redirectUris: [REDIRECT],
    scope: 'openid profile',
    backchannelTokenDeliveryMode: 'poll',
  },
} as const;

async function opened(options: StartOptions): Promise<TestMiftah> {
  const miftah = await startMiftah(options);
  onTestFinished(() => miftah.stop());
  return miftah;
}

async function configured({ url }: TestMiftah, id: string, secret: string) {
  // Plain HTTP, for a provider on this machine.
  // oxlint-disable-next-line typescript/no-deprecated
  const execute = [oidc.allowInsecureRequests];
  return oidc.discovery(new URL(url), id, secret, undefined, { execute });
}

async function asked(config: oidc.Configuration) {
  const pkceCodeVerifier = oidc.randomPKCECodeVerifier();
  const address = oidc.buildAuthorizationUrl(config, {
    redirect_uri: REDIRECT,
    scope: 'openid profile',
    code_challenge: await oidc.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
  });
  return { address, checks: { pkceCodeVerifier } };
}

describe.each([
  ['plain', { openid: true }, 'demo-web', 'mfk_test_demo_web'],
  ['strict', { strict: true, clients: [PORTAL] }, 'portal', 'mfk_portal_0123456789'],
] as const)('an OpenID Provider in %s mode', (_mode, options, id, secret) => {
  it('signs in who is named, in the browser', async () => {
    const miftah = await opened(options);
    const config = await configured(miftah, id, secret);
    const { address, checks } = await asked(config);
    const { returnAddress } = await miftah.browser.approve(address, { person: 'faisal' });
    const tokens = await oidc.authorizationCodeGrant(config, returnAddress, checks);
    const sub = String(tokens.claims()?.sub);
    const told = await oidc.fetchUserInfo(config, tokens.access_token, sub);
    expect(told.name).toBe(miftah.people.faisal.englishName.full);
  });

  it('says that the person has refused', async () => {
    const miftah = await opened(options);
    const { address } = await asked(await configured(miftah, id, secret));
    const { returnAddress } = await miftah.browser.refuse(address);
    expect(returnAddress.href).toMatch(/^http:\/\/127\.0\.0\.1:9\/cb\?error=access_denied/);
  });

  it('signs in on a phone', async () => {
    const miftah = await opened(options);
    const config = await configured(miftah, id, secret);
    const begun = await oidc.initiateBackchannelAuthentication(config, {
      scope: 'openid',
      login_hint: miftah.people.amal.nationalId,
    });
    const prompt = await miftah.phone.approve('amal');
    expect(prompt.random).toBe(begun['binding_message']);
    const quick = { ...begun, interval: 0.1 };
    const tokens = await oidc.pollBackchannelAuthenticationGrant(config, quick);
    expect(tokens.claims()).toHaveProperty('sub');
  });
});

it('is none unless it is asked for', async () => {
  const miftah = await opened({});
  const answer = await fetch(`${miftah.url}/.well-known/openid-configuration`);
  expect(answer.status).toBe(404);
});

it('says what an OpenID client lacks, or has too much', async () => {
  const { openid, ...rest } = PORTAL;
  const withOpenid = (own: object) =>
    startMiftah({ clients: [{ ...rest, openid: own as typeof openid }] });
  await expect(withOpenid({ redirectUri: REDIRECT })).rejects.toThrow(
    /clients\[0\]\.openid may have .+, and not redirectUri \(did you mean "redirectUris"\?\)/,
  );
  await expect(withOpenid({ ...openid, scope: 'profile' })).rejects.toThrow('"scope" must be');
});
