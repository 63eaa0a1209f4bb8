import * as oidc from 'openid-client';
import { expect, it } from 'vitest';
import { share, type AtEnd } from '../support/at-end.ts';
import { discovered, openidBrowser } from '../support/openid/openid-scene.ts';
import { emptyDatabase } from '../support/postgres/databases.ts';
import { findFreePort, startService } from '../support/programs/service-process.ts';

/** Two instances on one database are one OpenID Provider: any of them may get the next request. */

const SECRET_KEY = 'ab'.repeat(32);
const REDIRECT_URI = 'http://localhost:9/cb';
const AUTHORIZATION = `Basic ${btoa('demo-web:mfk_test_demo_web')}`;

async function two(atEnd: AtEnd): Promise<readonly [string, string]> {
  const port = await findFreePort();
  const database = { DATABASE_URL: await emptyDatabase(atEnd), SECRET_KEY };
  const settings = { OPENID: 'on', PUBLIC_URL: `http://127.0.0.1:${port}`, ...database };
  const [first, second] = await Promise.all([
    startService({ port, settings }),
    startService({ settings }),
  ]);
  atEnd(async () => void (await Promise.all([first.kill(), second.kill()])));
  return [settings.PUBLIC_URL, second.origin];
}

const instances = share(two);

it('they sign with the same keys, whichever is asked first', async () => {
  const keys = instances().map(async (origin) => (await fetch(`${origin}/openid/jwks`)).text());
  const [one, other] = await Promise.all(keys);
  expect(one).toBe(other);
  expect(one).toContain('RS256');
});

it('a code that is redeemed at both at once gives one token', async () => {
  const [issuer] = instances();
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
  const headers = { authorization: AUTHORIZATION };
  const redeemAt = (origin: string) =>
    fetch(`${origin}/openid/token`, { method: 'POST', body, headers });
  const racers = Array.from({ length: 6 }, () => instances().map((origin) => redeemAt(origin)));
  const answers = await Promise.all(racers.flat());
  const statuses = answers.map(({ status }) => status).toSorted((one, other) => one - other);
  expect(statuses).toEqual([200, ...Array.from({ length: 11 }, () => 400)]);
});
