import { importJWK, type CryptoKey } from 'jose';
import { asArray, asObject, member, textMember, type JsonObject } from '../strict-json.ts';
import { ALGORITHM } from './parse-token.ts';

export interface SigningKey {
  readonly kid: string | null;
  readonly key: CryptoKey;
}

const MODULUS_BITS = { least: 2048, most: 8192 } as const;
/** 65537. A smaller exponent makes forgery easier, and signers need no other. */
const PUBLIC_EXPONENT = 'AQAB';
const MOST_KEYS = 32;

/**
 * The keys of a JWK set (RFC 7517) that may verify tokens: RSA keys for signatures, neither too
 * short to be safe nor too long to be fast. Other keys are ignored, because a set may have keys for
 * other uses. Null when it is no JWK set.
 */
export async function readSigningKeys(set: JsonObject): Promise<readonly SigningKey[] | null> {
  const keys = asArray(member(set, 'keys'));
  if (keys === null || keys.length > MOST_KEYS) return null;
  const read = await Promise.all(keys.map(async (key) => readSigningKey(asObject(key))));
  return read.filter((key) => key !== null);
}

async function readSigningKey(jwk: JsonObject | null): Promise<SigningKey | null> {
  if (jwk === null || !isForSignatures(jwk)) return null;
  const modulus = textMember(jwk, 'n');
  const kid = member(jwk, 'kid');
  if (modulus === undefined || !isFitting(modulus)) return null;
  if (kid !== undefined && typeof kid !== 'string') return null;
  const key = await importKey(modulus);
  return key === null ? null : { kid: kid ?? null, key };
}

async function importKey(modulus: string): Promise<CryptoKey | null> {
  try {
    const key = await importJWK({ kty: 'RSA', n: modulus, e: PUBLIC_EXPONENT }, ALGORITHM);
    return key instanceof Uint8Array ? null : key;
  } catch {
    // The modulus is not valid. One bad key must not make the others unusable.
    return null;
  }
}

/** A key with a private part is refused, because others may know that part too. */
function isForSignatures(jwk: JsonObject): boolean {
  const use = member(jwk, 'use');
  const alg = member(jwk, 'alg');
  return (
    member(jwk, 'kty') === 'RSA' &&
    member(jwk, 'e') === PUBLIC_EXPONENT &&
    use === 'sig' &&
    (alg === undefined || alg === ALGORITHM) &&
    !Object.hasOwn(jwk, 'd')
  );
}

function isFitting(modulus: string): boolean {
  const bytes = Buffer.from(modulus, 'base64url');
  const isCanonical = bytes.toString('base64url') === modulus;
  const bits = bytes.length * 8 - Math.clz32((bytes[0] ?? 0) << 24);
  return isCanonical && bits >= MODULUS_BITS.least && bits <= MODULUS_BITS.most;
}
