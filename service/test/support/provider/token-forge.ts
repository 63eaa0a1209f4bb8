import { createHmac, generateKeyPairSync, sign, type KeyObject, constants } from 'node:crypto';
import { parseStrictObject, type JsonObject } from '../../../src/provider/strict-json.ts';
import { START_OF_TIME } from '../service/fake-clock.ts';
import {
  AUDIENCE,
  ISSUER,
  NATIONAL_ID,
  REQUEST_ID,
  SERVICE,
  TRANSACTION_ID,
} from './provider-under-test.ts';
import { NONCE } from './session-answer.ts';

export type Kind = 'redirect' | 'phone';
export type Claims = Readonly<Record<string, unknown>>;
type KeyPair = { readonly publicKey: KeyObject; readonly privateKey: KeyObject };

export const NOW_S = START_OF_TIME / 1000;
/** The attempt is two minutes old when its token arrives. */
export const CREATED_AT = START_OF_TIME - 120_000;
export const CREATED_S = CREATED_AT / 1000;
export const KID = 'signing-key-1';
export const OTHER_KID = 'signing-key-2';

/** Undefined removes a member. */
export type Changes = Readonly<Record<string, unknown>>;

const REGISTERED = { iss: ISSUER, aud: AUDIENCE, iat: NOW_S - 1, exp: NOW_S + 149 };

const REDIRECT_CLAIMS: Claims = {
  ...REGISTERED,
  nbf: NOW_S - 151,
  sub: NATIONAL_ID,
  nonce: NONCE,
  nin: NATIONAL_ID,
  userid: 'faisal',
  arabicName: 'فيصل عمر خالد التجريبي',
  englishName: 'Faisal Omar Khalid Altajribi',
  gender: 'Male',
  nationalityCode: '113',
  assurance_level: '3',
};

const PHONE_CLAIMS: Claims = {
  ...REGISTERED,
  nbf: NOW_S - 1,
  jti: REQUEST_ID,
  sub: NATIONAL_ID,
  PersonId: NATIONAL_ID,
  ServiceName: SERVICE,
  transId: TRANSACTION_ID,
  status: 'COMPLETED',
  nin: NATIONAL_ID,
  firstName: 'فيصل',
  fatherName: 'عمر',
  grandFatherName: 'خالد',
  familyName: 'التجريبي',
  englishFirstName: 'Faisal',
  englishSecondName: 'Omar',
  englishThirdName: 'Khalid',
  englishLastName: 'Altajribi',
  gender: 'M',
  nationality: 'SAU',
  nationalityCode: '113',
};

/** Valid claims with these changes. */
export function claimsOf(kind: Kind, changes: Changes = {}): Claims {
  const claims = kind === 'redirect' ? REDIRECT_CLAIMS : PHONE_CLAIMS;
  return withoutUndefined({ ...claims, ...changes });
}

const NAMING = /^(?:english)?(?:First|Second|Third|Last|Father|GrandFather|Family)Name$/i;

/** The claims of a push token without names. */
export function thinClaims(changes: Changes = {}): Claims {
  const kept = Object.entries(PHONE_CLAIMS).filter(
    ([name]) => !NAMING.test(name) && !['nin', 'gender', 'nationality'].includes(name),
  );
  return withoutUndefined({ ...Object.fromEntries(kept), ...changes });
}

function withoutUndefined(object: Claims): Claims {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));
}

/** The value after being sent as JSON. */
export function asJson(value: unknown): JsonObject {
  return parseStrictObject(JSON.stringify(value), { depth: 16, items: 1000 }) ?? {};
}

export function encode(part: string | Uint8Array): string {
  return Buffer.from(part).toString('base64url');
}

/** Makes valid tokens of the provider, and invalid ones. */
export class Forge {
  readonly keys: KeyPair;
  /** Another key of the provider's set. */
  readonly others: KeyPair;
  /** A key that is in no set. */
  readonly foreign: KeyPair;
  readonly elliptic = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  readonly edwards = generateKeyPairSync('ed25519');

  constructor(modulusLength: number) {
    this.keys = generateKeyPairSync('rsa', { modulusLength });
    this.others = generateKeyPairSync('rsa', { modulusLength: 2048 });
    this.foreign = generateKeyPairSync('rsa', { modulusLength: 2048 });
  }

  jwk(pair: KeyPair, members: Changes): Claims {
    const { kty, n, e } = pair.publicKey.export({ format: 'jwk' });
    return withoutUndefined({ kty, n, e, use: 'sig', alg: 'RS256', ...members });
  }

  get set(): Claims {
    return {
      keys: [this.jwk(this.others, { kid: OTHER_KID }), this.jwk(this.keys, { kid: KID })],
    };
  }

  /** Signs these claims with the provider's key, whatever they are. */
  sign(claims: Claims, header: Changes = {}): string {
    const members = withoutUndefined({ alg: 'RS256', kid: KID, typ: 'JWT', ...header });
    return this.signText(JSON.stringify(members), JSON.stringify(claims));
  }

  signText(header: string, claims: string | Uint8Array, key = this.keys.privateKey): string {
    return compose(header, claims, (input) => sign('sha256', input, key));
  }

  /** HMAC with a public value as its key (algorithm confusion). */
  signHmac(alg: string, secret: string | Buffer, claims: Claims): string {
    const hash = alg.replace('HS', 'sha');
    return compose(JSON.stringify({ alg, kid: KID }), JSON.stringify(claims), (input) =>
      createHmac(hash, secret).update(input).digest(),
    );
  }

  signAs(alg: string, claims: Claims): string {
    const header = JSON.stringify({ alg, kid: KID });
    return compose(header, JSON.stringify(claims), (input) => this.#signature(alg, input));
  }

  #signature(alg: string, input: Buffer): Buffer {
    const { privateKey } = this.keys;
    switch (alg) {
      case 'RS384':
      case 'RS512':
        return sign(alg.replace('RS', 'sha'), input, privateKey);
      case 'PS256': {
        const padding = constants.RSA_PKCS1_PSS_PADDING;
        return sign('sha256', input, { key: privateKey, padding, saltLength: 32 });
      }
      case 'ES256':
        return sign('sha256', input, { key: this.elliptic.privateKey, dsaEncoding: 'ieee-p1363' });
      default:
        return sign(null, input, this.edwards.privateKey);
    }
  }
}

function compose(
  header: string,
  claims: string | Uint8Array,
  signature: (input: Buffer) => Buffer,
): string {
  const input = `${encode(header)}.${encode(claims)}`;
  return `${input}.${encode(signature(Buffer.from(input)))}`;
}
