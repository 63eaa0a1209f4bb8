import * as oidc from 'openid-client';
import { discovered, openidBrowser } from './openid-scene.ts';

const REDIRECT_URI = 'http://localhost:9/cb';

/** A code for the built-in client of plain simulator mode, and how it is redeemed. */
export async function demoCode(issuer: string) {
  const auth = oidc.ClientSecretBasic('mfk_test_demo_web');
  const config = await discovered(issuer, 'demo-web', auth);
  const verifier = oidc.randomPKCECodeVerifier();
  const url = oidc.buildAuthorizationUrl(config, {
    redirect_uri: REDIRECT_URI,
    scope: 'openid',
    code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  });
  const browser = openidBrowser();
  const page = await browser.follow(await browser.open(url));
  const signIn = await browser.follow(await browser.press(page));
  let visit = await browser.press(signIn, { decision: 'approve', person: 'amal' });
  while (visit.location !== null && !visit.location.href.startsWith(REDIRECT_URI)) {
    visit = await browser.open(visit.location);
  }
  const body = new URLSearchParams({
    grant_type: 'authorization_code',
    code: visit.location?.searchParams.get('code') ?? '',
    redirect_uri: REDIRECT_URI,
    code_verifier: verifier,
  });
  const headers = { authorization: `Basic ${btoa('demo-web:mfk_test_demo_web')}` };
  return (origin: string) => fetch(`${origin}/openid/token`, { method: 'POST', body, headers });
}

/** Signs somebody in. @param at the instance that issues the tokens */
export async function idTokenOf(issuer: string, at = issuer): Promise<string> {
  const redeemAt = await demoCode(issuer);
  const { id_token: token } = (await (await redeemAt(at)).json()) as { id_token: unknown };
  return String(token);
}
