import * as oidc from 'openid-client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startPush } from '../support/openid/ciba.ts';
import { signInOf } from '../support/openid/demo-sign-in.ts';
import {
  ask,
  discovered,
  exchange,
  LASTING,
  OPENID_CLIENTS,
  openidBrowser,
  openOpenid,
  openStrictOpenid,
  PORTAL_KEY,
  signedIn,
  type OpenidScene,
} from '../support/openid/openid-scene.ts';
import { openSso } from '../support/openid/sso-scene.ts';
import { AMAL } from '../support/service/login.ts';
import { stepsOf, type TimeLine } from '../support/service/time-line.ts';

/** The time line of a sign-in by OpenID, over the control API. */

const SECRET = 'mfk_test_demo_web';

/** Of every attempt, the newest first. */
async function timeLines({ origin }: OpenidScene): Promise<readonly TimeLine[]> {
  const read = async (path: string) => (await fetch(`${origin}/simulator/attempts${path}`)).text();
  const { data } = JSON.parse(await read('')) as { data: { id: string }[] };
  return Promise.all(
    data.map(async ({ id }) => {
      const text = await read(`/${id}`);
      return { ...(JSON.parse(text) as { data: Omit<TimeLine, 'text'> }).data, text };
    }),
  );
}

async function onlyOne(scene: OpenidScene): Promise<TimeLine> {
  const [line, ...others] = await timeLines(scene);
  expect(others).toEqual([]);
  if (line === undefined) throw new Error('there is no attempt');
  return line;
}

function expectNoSecret({ text }: TimeLine, ...secrets: readonly (string | null | undefined)[]) {
  for (const secret of secrets) {
    expect(secret?.length).toBeGreaterThan(15);
    expect(text).not.toContain(secret);
  }
}

const ofOpenid = (line: TimeLine) => stepsOf(line).filter((step) => /openid/.test(step));
const subOf = (tokens: oidc.TokenEndpointResponseHelpers) => String(tokens.claims()?.sub);
const swallow = () => undefined;

describe('the time line of a sign-in by OpenID', () => {
  it('has every call with its answer, from the request to a code that is used twice', async () => {
    const scene = await openOpenid(onTestFinished);
    const parameters = { ...LASTING, state: 'a-state-of-this-test' };
    const { config, back, verifier } = await signInOf(scene.origin, { parameters });
    const code = back.searchParams.get('code');
    const checks = { pkceCodeVerifier: verifier, expectedState: parameters.state };
    const tokens = await oidc.authorizationCodeGrant(config, back, checks);
    const { access_token: token, refresh_token: refresh = '' } = tokens;
    await oidc.fetchUserInfo(config, token, subOf(tokens));
    const renewed = await oidc.refreshTokenGrant(config, refresh);
    await oidc.tokenIntrospection(config, renewed.access_token);
    await oidc.authorizationCodeGrant(config, back, checks).catch(swallow);
    await oidc.fetchUserInfo(config, renewed.access_token, subOf(tokens)).catch(swallow);
    await oidc.tokenRevocation(config, renewed.access_token);
    const line = await onlyOne(scene);
    expect(stepsOf(line)).toEqual([
      'area_a openidAuthorize 200',
      'area_a launch 200',
      'area_a launch 200',
      'browser decision approve',
      'area_a callback 200',
      'area_a openidReturn 303',
      'area_a openidToken 200',
      'area_a openidUserinfo 200',
      'area_a openidToken 200',
      'area_a openidIntrospect 200',
      'area_a openidToken 400 invalid_grant',
      'area_a openidUserinfo 401 invalid_token',
      'area_a openidRevoke 200',
    ]);
    expectNoSecret(line, code, verifier, token, refresh, tokens.id_token, parameters.state);
    expectNoSecret(line, renewed.access_token, renewed.refresh_token, btoa(`demo-web:${SECRET}`));
    expect(line.text).not.toContain(SECRET);
    const [asked, shown] = line.entries.map(({ exchange: one }) => one);
    expect(asked?.path).toMatch(/^\/openid\/authorize\?.*scope=openid\+profile\+offline_access/);
    expect(shown?.path).toMatch(/^\/openid\/interaction\/\[masked\]/);
    expect(line.entries[6]?.exchange).toMatchObject({
      request: { body: { grant_type: 'authorization_code', code: '[masked]' } },
      response: { body: { access_token: '[masked]', expires_in: 600, token_type: 'Bearer' } },
    });
    expect(line.entries[7]?.exchange?.response.body).toMatchObject({ given_name: 'Amal' });
  });

  it('has the polls of a push without a browser', async () => {
    const scene = await openOpenid(onTestFinished);
    const config = await discovered(scene.origin, 'demo-web', oidc.ClientSecretBasic(SECRET));
    const { asked, poll } = await startPush(config, { login_hint: AMAL });
    await poll().catch(swallow);
    const line = await onlyOne(scene);
    expect(stepsOf(line)).toEqual([
      'area_a openidBackchannel 200',
      'phone prompt',
      'area_a openidToken 400 authorization_pending',
    ]);
    expectNoSecret(line, asked.auth_req_id);
    expect(line.entries[0]?.exchange).toMatchObject({
      request: { body: { login_hint: AMAL, scope: 'openid profile' } },
      response: { body: { binding_message: asked['binding_message'], interval: 5 } },
    });
  });

  it('has the pushed request, the calls of the provider and the logout, in strict mode', async () => {
    const scene = await openStrictOpenid(onTestFinished, [OPENID_CLIENTS.portal]);
    const asked = await ask(scene, { id: 'portal', isPushed: true });
    const browser = openidBrowser();
    const back = await signedIn(asked, { browser });
    const { access_token: token } = await exchange(asked, back);
    await browser.press(await browser.open(new URL(`${scene.origin}/openid/logout`)));
    const line = await onlyOne(scene);
    expect(stepsOf(line)).toEqual([
      'area_a openidPar 201',
      'area_a openidAuthorize 303',
      'area_a launch 200',
      'area_a launch 200',
      'area_b session 200',
      'browser page',
      'browser decision approve',
      'area_a callback 303',
      'area_b exchange 200',
      'area_a openidReturn 303',
      'area_a openidToken 200',
      'area_a openidLogout 200',
      'area_a openidLogout 303',
    ]);
    expect(line.entries.at(-1)?.exchange?.request.body).toEqual({
      logout: 'yes',
      xsrf: '[masked]',
    });
    const { pkceCodeVerifier, expectedNonce, expectedState } = asked.checks;
    expectNoSecret(line, pkceCodeVerifier, String(expectedNonce), String(expectedState), token);
    expectNoSecret(line, asked.url.searchParams.get('request_uri'), PORTAL_KEY);
  });

  it('has what a client was answered of its session, and not what was asked anew beside that', async () => {
    const scene = await openSso(onTestFinished);
    const { browser } = await scene.signIn('shop');
    const wished = { parameters: { prompt: 'none' } };
    const { tokens } = await scene.answered(browser, 'desk', wished);
    await scene.signIn('desk', { browser, parameters: { prompt: 'login' } });
    await scene.answered(browser, 'shop', wished);
    const [second, first] = await timeLines(scene);
    if (first === undefined || second === undefined) throw new Error('there are two sign-ins');
    const whole = [
      'area_a openidAuthorize 200',
      'area_a openidReturn 303',
      'area_a openidToken 200',
      'area_a openidAuthorize 303',
      'area_a openidToken 200',
    ];
    expect([ofOpenid(first), ofOpenid(second)]).toEqual([whole, whole]);
    expectNoSecret(first, tokens.access_token, browser.cookies.get('miftah_sso'));
  });

  it('has nothing of another one', async () => {
    const scene = await openOpenid(onTestFinished);
    const first = await signInOf(scene.origin);
    const { config, back, verifier } = await signInOf(scene.origin, { person: 'faisal' });
    await oidc.authorizationCodeGrant(config, back, { pkceCodeVerifier: verifier });
    await oidc.tokenRevocation(config, 'a-token-that-nobody-has');
    const wrong = { pkceCodeVerifier: first.verifier };
    await oidc.authorizationCodeGrant(first.config, first.back, wrong);
    const lines = await timeLines(scene);
    expect(lines).toHaveLength(2);
    for (const line of lines) {
      expect(ofOpenid(line)).toEqual([
        'area_a openidAuthorize 200',
        'area_a openidReturn 303',
        'area_a openidToken 200',
      ]);
    }
  });
});
