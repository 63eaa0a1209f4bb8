import { generateKeyPair, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';

const RSA_BITS = 2048;
const generate = promisify(generateKeyPair);

/** A private JSON Web Key (RFC 7517). */
type PrivateJwk = Readonly<Record<string, unknown>>;

/** New keys that sign ID tokens, one for each algorithm, as private JSON Web Keys. */
export async function newSigningKeys(): Promise<readonly PrivateJwk[]> {
  const [rsa, elliptic] = await Promise.all([
    generate('rsa', { modulusLength: RSA_BITS }),
    generate('ec', { namedCurve: 'P-256' }),
  ]);
  return [signingKey(rsa.privateKey, 'RS256'), signingKey(elliptic.privateKey, 'ES256')];
}

function signingKey(key: KeyObject, alg: string): PrivateJwk {
  return { ...key.export({ format: 'jwk' }), alg, use: 'sig' };
}
