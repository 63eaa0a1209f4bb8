import * as oidc from 'openid-client';
import { describe, expect, it } from 'vitest';
import { asked, configured } from './support/openid.ts';
import { FOREVER, opened } from './support/instances.ts';

/** What `clock` ends of a sign-in by OpenID. */

const SECRET = 'mfk_test_demo_web';
const LASTING = 'openid profile offline_access';

/** @param options of `startMiftah` */
async function provider(options = {}) {
  const miftah = await opened({ openid: true, ...options });
  const config = await configured(miftah, 'demo-web', SECRET);
  const coded = async (scope = 'openid profile') => {
    const { address, checks } = await asked(config, scope);
    address.searchParams.set('prompt', 'consent');
    const { returnAddress } = await miftah.browser.approve(address);
    return () => oidc.authorizationCodeGrant(config, returnAddress, checks);
  };
  return { miftah, config, coded };
}

const refusal = async (work: Promise<unknown>) =>
  work.then(
    () => null,
    (error: unknown) =>
      error instanceof oidc.ResponseBodyError || error instanceof oidc.WWWAuthenticateChallengeError
        ? error.status
        : String(error),
  );

describe('the clock of an OpenID Provider', () => {
  it('ends a code after a minute', async () => {
    const { miftah, coded } = await provider();
    const [inTime, tooLate] = [await coded(), await coded()];
    await miftah.clock.advance('50s');
    expect(await refusal(inTime())).toBeNull();
    await miftah.clock.advance('11s');
    expect(await refusal(tooLate())).toBe(400);
  });

  it('ends an access token after ten minutes', async () => {
    const { miftah, config, coded } = await provider();
    const tokens = await (await coded())();
    const sub = String(tokens.claims()?.sub);
    const claims = () => oidc.fetchUserInfo(config, tokens.access_token, sub);
    await miftah.clock.advance('9m');
    expect(await refusal(claims())).toBeNull();
    await miftah.clock.advance('61s');
    expect(await refusal(claims())).toBe(401);
    const { active } = await oidc.tokenIntrospection(config, tokens.access_token);
    expect(active).toBe(false);
  });

  it('ends what a client has without the person, however often it was changed', async () => {
    const { miftah, config, coded } = await provider();
    let { refresh_token: token = '' } = await (await coded(LASTING))();
    const renew = async () => {
      ({ refresh_token: token = '' } = await oidc.refreshTokenGrant(config, token));
    };
    await miftah.clock.advance('20d');
    await renew();
    await miftah.clock.advance('9d');
    await renew();
    await miftah.clock.advance('2d');
    expect(await refusal(renew())).toBe(400);
  });

  it('ends requests: of a browser that has not come, and of a push that nobody answers', async () => {
    const { miftah, config } = await provider();
    const parameters = Object.fromEntries((await asked(config)).address.searchParams);
    const address = await oidc.buildAuthorizationUrlWithPAR(config, parameters);
    const login_hint = miftah.people.amal.nationalId;
    const begun = await oidc.initiateBackchannelAuthentication(config, {
      scope: 'openid',
      login_hint,
    });
    await miftah.clock.advance('5m');
    const { returnAddress } = await miftah.browser.approve(address);
    expect(returnAddress.searchParams.get('error')).toBe('invalid_request_uri');
    await expect(oidc.pollBackchannelAuthenticationGrant(config, begun)).rejects.toMatchObject({
      error: 'expired_token',
    });
  });

  it('leaves the times of an ID token to the machine, which its client compares with its own', async () => {
    const { coded } = await provider({ now: FOREVER });
    const { iat = 0, exp = 0 } = (await (await coded())()).claims() ?? {};
    expect(Math.abs(iat - Date.now() / 1000)).toBeLessThan(60);
    expect(exp - iat).toBe(600);
  });
});
