import * as oidc from 'openid-client';
import { discovered, openidBrowser } from './openid-scene.ts';

const DEMO_WEB: SignIn = {
  id: 'demo-web',
  secret: 'mfk_test_demo_web',
  redirectUri: 'http://localhost:9/cb',
  parameters: {},
  person: 'amal',
  decision: 'approve',
};

interface SignIn {
  readonly id: string;
  readonly secret: string;
  readonly redirectUri: string;
  readonly parameters: Readonly<Record<string, string>>;
  /** Of the invented people: who decides. */
  readonly person: string;
  readonly decision: 'approve' | 'refuse';
}

/** Somebody signs in in plain simulator mode, up to the application's address. */
export async function signInOf(issuer: string, wished: Partial<SignIn> = {}) {
  const { id, secret, redirectUri, parameters, person, decision } = { ...DEMO_WEB, ...wished };
  const config = await discovered(issuer, id, oidc.ClientSecretBasic(secret));
  const verifier = oidc.randomPKCECodeVerifier();
  const url = oidc.buildAuthorizationUrl(config, {
    redirect_uri: redirectUri,
    scope: 'openid',
    code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    ...parameters,
  });
  const browser = openidBrowser();
  const page = await browser.follow(await browser.open(url));
  const signIn = await browser.follow(await browser.press(page));
  let visit = await browser.press(signIn, { decision, person });
  while (visit.location !== null && !visit.location.href.startsWith(redirectUri)) {
    visit = await browser.open(visit.location);
  }
  if (visit.location === null) throw new Error(`no way back: ${visit.status} ${visit.html}`);
  return { config, back: visit.location, verifier, redirectUri };
}

/** A code for the built-in client, and how it is redeemed. */
export async function demoCode(issuer: string, parameters: SignIn['parameters'] = {}) {
  const { back, verifier, redirectUri } = await signInOf(issuer, { parameters });
  const body = new URLSearchParams({
    grant_type: 'authorization_code',
    code: back.searchParams.get('code') ?? '',
    redirect_uri: redirectUri,
    code_verifier: verifier,
  });
  const headers = { authorization: `Basic ${btoa(`${DEMO_WEB.id}:${DEMO_WEB.secret}`)}` };
  return (origin: string) => fetch(`${origin}/openid/token`, { method: 'POST', body, headers });
}

/** Signs somebody in. @param at the instance that issues the tokens */
export async function idTokenOf(issuer: string, at = issuer): Promise<string> {
  const redeemAt = await demoCode(issuer);
  const { id_token: token } = (await (await redeemAt(at)).json()) as { id_token: unknown };
  return String(token);
}
