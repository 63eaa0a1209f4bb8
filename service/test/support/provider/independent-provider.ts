import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Provider } from 'oidc-provider';
import { onTestFinished } from 'vitest';
import { NATIONAL_ID } from './provider-under-test.ts';

export interface IndependentProvider {
  readonly issuer: string;
  /** The address of its published key set. */
  readonly jwks: string;
  /** Does a whole sign-in. @returns its id_token */
  signIn(clientId: string, nonce: string): Promise<string>;
}

/** One client per algorithm, so that the provider's own library signs every token. */
export const CLIENT = 'https://relying-party.example.test';
const ALGORITHMS = ['RS256', 'PS256', 'RS512', 'ES256', 'HS256'] as const;
export type Algorithm = (typeof ALGORITHMS)[number];

export function clientFor(algorithm: Algorithm): string {
  return algorithm === 'RS256' ? CLIENT : `${CLIENT}/${algorithm}`;
}

/** The claims of our profile, from an account that the provider knows. */
const CLAIMS = {
  nin: NATIONAL_ID,
  gender: 'Male',
  nationalityCode: '113',
  arabicName: 'فيصل عمر خالد التجريبي',
  englishName: 'Faisal Omar Khalid Altajribi',
  assurance_level: '3',
};

function privateJwk(key: KeyObject, kid: string) {
  return { ...key.export({ format: 'jwk' }), kid, use: 'sig' };
}

function configuration() {
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const elliptic = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return {
    clients: ALGORITHMS.map((algorithm) => ({
      client_id: clientFor(algorithm),
      client_secret: 'a-secret-of-this-test-that-is-long-enough',
      response_types: ['id_token'],
      grant_types: ['implicit'],
      redirect_uris: [`${CLIENT}/return`],
      id_token_signed_response_alg: algorithm,
    })),
    jwks: { keys: [privateJwk(rsa.privateKey, 'one'), privateJwk(elliptic.privateKey, 'two')] },
    responseTypes: ['id_token'],
    enabledJWA: { idTokenSigningAlgValues: ALGORITHMS },
    claims: { openid: ['sub', ...Object.keys(CLAIMS)] },
    conformIdTokenClaims: false,
    cookies: { keys: ['a key of this test'] },
    features: { devInteractions: { enabled: false } },
    findAccount: (_context: unknown, accountId: string) => ({
      accountId,
      claims: () => ({ sub: accountId, ...CLAIMS }),
    }),
  };
}

/** An independent OpenID provider on a real socket; its person approves everything. */
export async function runIndependentProvider(): Promise<IndependentProvider> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider: Provider = new Provider(issuer, {
    ...configuration(),
    interactions: { url: () => '/approve' },
    loadExistingGrant: async ({ oidc }: GrantContext) => {
      const { accountId } = oidc.session;
      const grant = new provider.Grant({ clientId: oidc.client.clientId, accountId });
      grant.addOIDCScope('openid');
      await grant.save();
      return grant;
    },
  });
  const answer = provider.callback();
  server.on('request', (request, response) => {
    const login = { login: { accountId: NATIONAL_ID } };
    if (request.url === '/approve') void provider.interactionFinished(request, response, login);
    else answer(request, response);
  });
  const jwks = await (await fetch(`${issuer}/jwks`)).text();
  return { issuer, jwks, signIn: async (clientId, nonce) => signIn(issuer, clientId, nonce) };
}

interface GrantContext {
  readonly oidc: {
    readonly client: { readonly clientId: string };
    readonly session: { readonly accountId: string };
  };
}

const LONGEST_WAY = 10;

/** Follows redirects as a browser does, up to the first address outside the provider. */
async function signIn(issuer: string, clientId: string, nonce: string): Promise<string> {
  const url = new URL('/auth', issuer);
  url.search = new URLSearchParams({
    client_id: clientId,
    response_type: 'id_token',
    redirect_uri: `${CLIENT}/return`,
    scope: 'openid',
    nonce,
  }).toString();
  const cookies = new Map<string, string>();
  let next = url;
  for (let step = 0; step < LONGEST_WAY && next.origin === issuer; step += 1) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(next, { redirect: 'manual', headers: { cookie } });
    for (const set of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      cookies.set(name, value);
    }
    next = new URL(response.headers.get('location') ?? '', next);
  }
  return new URLSearchParams(next.hash.slice(1)).get('id_token') ?? '';
}
