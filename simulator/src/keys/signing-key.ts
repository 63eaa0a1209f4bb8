import { oneOf, openObject, string, type Static } from '@miftah/schema';
import { calculateJwkThumbprint } from 'jose';
import { generateKeyPair } from 'node:crypto';
import { promisify } from 'node:util';

export const ALGORITHM = 'RS256';
const MODULUS_BITS = 2048;
const generate = promisify(generateKeyPair);

const number = string({ pattern: '^[A-Za-z0-9_-]+$' });

/** A complete RSA key with its kid. RFC 7517, RFC 7518 section 6.3. */
export const SigningKey = openObject({
  kty: oneOf(['RSA']),
  kid: string({ minLength: 1 }),
  n: number,
  e: number,
  d: number,
  p: number,
  q: number,
  dp: number,
  dq: number,
  qi: number,
});
export type SigningKey = Static<typeof SigningKey>;

/** The published part of a key. */
export interface PublicKey {
  readonly kty: 'RSA';
  readonly e: string;
  readonly use: 'sig';
  readonly kid: string;
  readonly alg: typeof ALGORITHM;
  readonly n: string;
}

/** The kid is the key's thumbprint (RFC 7638), so no two keys have the same kid. */
export async function makeSigningKey(): Promise<SigningKey> {
  const { privateKey } = await generate('rsa', { modulusLength: MODULUS_BITS });
  const jwk = privateKey.export({ format: 'jwk' });
  const { n = '', e = '', d = '', p = '', q = '', dp = '', dq = '', qi = '' } = jwk;
  const kid = await calculateJwkThumbprint(jwk);
  return { kty: 'RSA', kid, n, e, d, p, q, dp, dq, qi };
}

export function publicPart({ kty, e, kid, n }: SigningKey): PublicKey {
  return { kty, e, use: 'sig', kid, alg: ALGORITHM, n };
}
