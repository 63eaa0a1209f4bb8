import * as oidc from 'openid-client';
import type { TestMiftah } from '../../src/index.ts';

export const REDIRECT = 'http://127.0.0.1:9/cb';
/** As `startMiftah` takes it. */
export const PORTAL = {
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

export async function configured(
  { url }: TestMiftah,
  id: string,
  secret: string,
  more: ((config: oidc.Configuration) => void)[] = [],
) {
  // Plain HTTP, for a provider on this machine.
  // oxlint-disable-next-line typescript/no-deprecated
  const execute = [oidc.allowInsecureRequests, ...more];
  return oidc.discovery(new URL(url), id, secret, undefined, { execute });
}

export async function asked(
  config: oidc.Configuration,
  scope = 'openid profile',
  more: Readonly<Record<string, string>> = {},
) {
  const pkceCodeVerifier = oidc.randomPKCECodeVerifier();
  const address = oidc.buildAuthorizationUrl(config, {
    redirect_uri: REDIRECT,
    scope,
    code_challenge: await oidc.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
    ...more,
  });
  return { address, checks: { pkceCodeVerifier } };
}
