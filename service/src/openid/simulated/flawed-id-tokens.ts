import { createPrivateKey, sign, type JsonWebKeyInput } from 'node:crypto';
import type { Provider } from 'oidc-provider/lib/provider.js';
import { clientInScope, scopeOf } from '../../attempt/scenario.ts';

/**
 * Wrong ID tokens, by which tests see whether a client refuses them. Only plain simulator mode has the
 * library give them out: no other mode loads this file.
 */

type Claims = Readonly<Record<string, unknown>>;

/** Longer ago than any tolerance for clocks that differ. */
const EXPIRED_SECONDS = 3600;

/** The claims in the place of the right ones. */
const WRONG_CLAIMS = {
  wrong_audience: () => ({ aud: 'another-client' }),
  wrong_nonce: () => ({ nonce: 'another-nonce' }),
  wrong_issuer: () => ({ iss: 'https://another-issuer.example' }),
  expired: ({ iat }: Claims) => ({ exp: Number(iat) - EXPIRED_SECONDS }),
} as const;

type Flaw = keyof typeof WRONG_CLAIMS | 'wrong_signature' | 'alg_none';

/** Gives out ID tokens that are wrong. @param takeFlaw what is wrong in the next one of a scope */
export function flawIdTokens(
  provider: Provider,
  keys: readonly unknown[],
  takeFlaw: (scope: string) => Flaw | null,
): void {
  const { prototype } = provider.IdToken;
  const { issue } = prototype;
  prototype.issue = async function issueFlawed(how) {
    const token = await issue.call(this, how);
    // Logout tokens are of the same class.
    if (how.use !== 'idtoken') return token;
    const flaw = takeFlaw(scopeOf(clientInScope(this.client.clientId)));
    return flaw === null ? token : flawed(token, flaw, keys);
  };
}

function flawed(token: string, flaw: Flaw, keys: readonly unknown[]): string {
  const [header = '', payload = ''] = token.split('.');
  // With its `kid`, as whoever forges one has it: without, a client refuses it for that reason.
  if (flaw === 'alg_none') return `${encoded({ ...decoded(header), alg: 'none' })}.${payload}.`;
  const signed = (text: string) => signature(text, decoded(header)['alg'], keys);
  if (flaw === 'wrong_signature') return `${header}.${payload}.${signed('another text')}`;
  const claims = decoded(payload);
  const text = `${header}.${encoded({ ...claims, ...WRONG_CLAIMS[flaw](claims) })}`;
  return `${text}.${signed(text)}`;
}

/** By the key with which the library signs: the first one of the algorithm. */
function signature(text: string, alg: unknown, keys: readonly unknown[]): string {
  const key = keys.filter(isObject).find((one) => one['alg'] === alg);
  if (key === undefined) throw new Error('no key signs ID tokens by this algorithm');
  const privateKey = createPrivateKey({ key, format: 'jwk' });
  // RFC 7518, section 3.4. It changes nothing for RSA.
  const how = { key: privateKey, dsaEncoding: 'ieee-p1363' } as const;
  return sign('sha256', Buffer.from(text), how).toString('base64url');
}

function decoded(part: string): Claims {
  const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString());
  return isObject(value) ? value : {};
}

const isObject = (value: unknown): value is Claims & JsonWebKeyInput['key'] =>
  typeof value === 'object' && value !== null;

const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
