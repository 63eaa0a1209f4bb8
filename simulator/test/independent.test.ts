/** The simulator's tokens, verified by independent libraries. */
import type { AddressInfo } from 'node:net';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import * as oidc from 'openid-client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { defaultSettings } from '../src/engine/settings.ts';
import { systemClock, systemRandom } from '../src/platform/platform.ts';
import { answerCall, formOf, openSession, type Opened } from './support/sign-in.ts';
import { exchangeCall, KEYS_PATH, makeApp, type AppBench } from './support/apps.ts';

const CLIENT_ID = 'https://relying-party.example.test';

let bench: AppBench;
let origin: string;
let session: Opened;

beforeEach(async () => {
  const issuer = 'https://provider.example.test';
  bench = makeApp({
    engineSettings: { ...defaultSettings('http://127.0.0.1:4000'), issuer },
    engineParts: { clock: systemClock, random: systemRandom },
  });
  await bench.app.listen({ host: '127.0.0.1', port: 0 });
  origin = `http://127.0.0.1:${(bench.app.server.address() as AddressInfo).port}`;
  session = await openSession(bench.app);
});
afterEach(() => bench.app.close());

function configuration(): oidc.Configuration {
  const metadata = {
    issuer: 'https://provider.example.test',
    jwks_uri: `${origin}${KEYS_PATH}`,
    authorization_endpoint: `${origin}/authservice/authorize`,
  };
  const config = new oidc.Configuration(metadata, CLIENT_ID, {
    id_token_signed_response_alg: 'RS256',
  });
  oidc.useIdTokenResponseType(config);
  // Plain HTTP, for a provider on this machine.
  // oxlint-disable-next-line typescript/no-deprecated
  oidc.allowInsecureRequests(config);
  return config;
}

/** The authorization page's form post, as a relying party with that response mode gets it. */
async function formPost(): Promise<Request> {
  const page = await bench.app.inject(answerCall(session.state, 'approve'));
  const { fields } = formOf(page.body);
  return new Request('https://relying-party.example.test/callback', {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(fields),
  });
}

describe('openid-client', () => {
  it('accepts the form post of the authorization page', async () => {
    const checks = { expectedState: session.state };
    const config = configuration();
    const claims = await oidc.implicitAuthentication(
      config,
      await formPost(),
      session.nonce,
      checks,
    );
    expect(claims).toMatchObject({ sub: '1000001101', aud: CLIENT_ID, nonce: session.nonce });
  });

  it('does not accept it for another nonce', async () => {
    const checks = { expectedState: session.state };
    const wrong = oidc.implicitAuthentication(configuration(), await formPost(), 'another', checks);
    await expect(wrong).rejects.toThrow(/claim value/);
  });
});

describe('jose', () => {
  it('accepts the token of the exchange by the published keys, also after a rotation', async () => {
    const keys = createRemoteJWKSet(new URL(`${origin}${KEYS_PATH}`), { cooldownDuration: 0 });
    const options = { issuer: 'https://provider.example.test', audience: CLIENT_ID };
    for (const rotate of [false, true]) {
      const { state } = await openSession(bench.app);
      if (rotate) {
        await bench.app.inject({ method: 'POST', url: '/simulator/keys/rotate', payload: {} });
      }
      await bench.app.inject(answerCall(state, 'approve'));
      const answer = await bench.app.inject(exchangeCall({ state }));
      const { token } = answer.json<{ token: string }>();
      const { payload } = await jwtVerify(token, keys, { ...options, algorithms: ['RS256'] });
      expect(payload['nin']).toBe('1000001101');
    }
  });
});
