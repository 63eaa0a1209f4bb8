import * as oidc from 'openid-client';
import { asked } from './openid.ts';

/** The application of docs/testing-your-app.md#does-my-client-check, which checks its ID tokens. */

let begun: (address: URL) => Promise<unknown>;

/** Where it sends the browser. */
export async function beginSignIn(issuer: string): Promise<URL> {
  // oxlint-disable-next-line typescript/no-deprecated
  const execute = [oidc.allowInsecureRequests, oidc.enableNonRepudiationChecks];
  const proof = ['demo-web', 'mfk_test_demo_web', undefined] as const;
  const config = await oidc.discovery(new URL(issuer), ...proof, { execute });
  const expectedNonce = oidc.randomNonce();
  const { address, checks } = await asked(config, 'openid', { nonce: expectedNonce });
  begun = (back) => oidc.authorizationCodeGrant(config, back, { ...checks, expectedNonce });
  return address;
}

/** What it does with the address to which the browser is sent back. */
export const finishSignIn = (back: URL): Promise<unknown> => begun(back);
