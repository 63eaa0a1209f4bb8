import { createPublicKey, type KeyObject } from 'node:crypto';

type PublicJwk = Readonly<Record<string, unknown>>;

/** Each of them is tried where a client does not say which one it has signed with. */
const MOST_KEYS = 10;
const LEAST_RSA_BITS = 2048;
/** With 1 anybody makes the signature. */
const LEAST_RSA_EXPONENT = 65_537n;
/** What a key may be kept for by its "alg". One that the library never tries would fit no assertion. */
const ALGORITHMS: Readonly<Record<string, readonly unknown[]>> = {
  rsa: [undefined, 'RS256', 'PS256'],
  ec: [undefined, 'ES256'],
  ed25519: [undefined, 'EdDSA'],
};
/** Of private and of symmetric keys. */
const SECRET_MEMBERS: ReadonlySet<string> = new Set(['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k']);
const FORM =
  'a public JSON Web Key: RSA of at least 2048 bits and "e" of at least 65537, EC with P-256, or OKP ' +
  'with Ed25519, an "alg" only as docs/openid.md has them, "key_ops" with verify, "x5c" a list of ' +
  'certificates, no two with the same "kid"';

/** The keys of a JSON Web Key Set (RFC 7517). Faults go to `tell`. */
export function readPublicKeys(set: unknown, tell: (fault: string) => void): readonly PublicJwk[] {
  const listed = isObject(set) ? set['keys'] : undefined;
  const keys: readonly unknown[] = Array.isArray(listed) ? listed : [];
  if (keys.length === 0 || keys.length > MOST_KEYS) {
    tell(`"jwks" must be {"keys": [...]} with at most ${MOST_KEYS} keys`);
    return [];
  }
  const objects = keys.filter(isObject);
  if (objects.some((key) => Object.keys(key).some((name) => SECRET_MEMBERS.has(name)))) {
    tell(
      'a key of "jwks" is private: whoever can read the file can sign with it. Make another one',
    );
    return [];
  }
  const read = objects.filter(isPublicKey);
  const kids = read.map(({ kid }) => kid).filter((kid) => kid !== undefined);
  if (read.length < keys.length || new Set(kids).size < kids.length) {
    tell(`each key of "jwks" must be ${FORM}`);
  }
  return read;
}

function isObject(value: unknown): value is PublicJwk {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isPublicKey(jwk: PublicJwk): boolean {
  try {
    const { kid = 'none', use = 'sig', alg } = jwk;
    const key = createPublicKey({ key: jwk, format: 'jwk' });
    const fits = ALGORITHMS[key.asymmetricKeyType ?? '']?.includes(alg) === true;
    const isNamed = typeof kid === 'string' && kid !== '';
    return isNamed && use === 'sig' && mayVerify(jwk) && fits && isStrong(key);
  } catch {
    return false;
  }
}

/** With others the library would refuse the client, or try the key for no assertion. */
function mayVerify({ key_ops: uses = ['verify'], x5c: chain = ['none'] }: PublicJwk): boolean {
  return isTexts(uses) && uses.includes('verify') && isTexts(chain) && chain.length > 0;
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((text) => typeof text === 'string' && text !== '');
}

function isStrong({ asymmetricKeyType, asymmetricKeyDetails = {} }: KeyObject): boolean {
  const { modulusLength = 0, publicExponent = 0n, namedCurve } = asymmetricKeyDetails;
  if (asymmetricKeyType === 'rsa') {
    return modulusLength >= LEAST_RSA_BITS && publicExponent >= LEAST_RSA_EXPONENT;
  }
  return asymmetricKeyType === 'ed25519' || namedCurve === 'prime256v1';
}
