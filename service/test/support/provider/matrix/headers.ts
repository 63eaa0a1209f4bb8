import { claimsOf, encode, KID, OTHER_KID, type Forge } from '../token-forge.ts';
import { good, header, tableOf, type Negative } from './table.ts';

const PUBLIC_SECRETS: Readonly<Record<string, (forge: Forge) => string | Buffer>> = {
  PEM: pemOf,
  'PEM after a blank': (forge) => ` ${pemOf(forge)}`,
  'PEM without its last line end': (forge) => pemOf(forge).trimEnd(),
  DER: ({ keys }) => keys.publicKey.export({ type: 'spki', format: 'der' }),
  JWK: (forge) => JSON.stringify(forge.jwk(forge.keys, { kid: KID })),
};

export function pemOf({ keys }: Forge): string {
  return keys.publicKey.export({ type: 'spki', format: 'pem' });
}

export const ALGORITHMS: readonly Negative[] = [
  ...tableOf(
    'redirect',
    ['none', 'None', 'nOnE', 'NONE'].map((alg) => [
      `alg ${alg}, without a signature`,
      'not three parts',
      () => `${encode(JSON.stringify({ alg }))}.${encode(JSON.stringify(claimsOf('redirect')))}.`,
    ]),
  ),
  ...tableOf(
    'redirect',
    ['none', 'None', 'nOnE', 'NONE'].map((alg) => [
      `alg ${alg}, with a right RS256 signature`,
      'alg',
      (forge) => forge.sign(claimsOf('redirect'), { alg }),
    ]),
  ),
  ...header([
    ['alg missing', 'alg', { alg: undefined }],
    ['alg null', 'alg', { alg: null }],
    ['alg in an array', 'alg', { alg: ['RS256'] }],
    ['alg in small letters', 'alg', { alg: 'rs256' }],
    ['alg with a blank', 'alg', { alg: 'RS256 ' }],
  ]),
  ...tableOf(
    'redirect',
    ['HS256', 'HS384', 'HS512'].flatMap((alg) =>
      Object.entries(PUBLIC_SECRETS).map(
        ([form, secret]) =>
          [
            `${alg} under the public key as ${form}`,
            'alg',
            (forge: Forge) => forge.signHmac(alg, secret(forge), claimsOf('redirect')),
          ] as const,
      ),
    ),
  ),
  ...tableOf(
    'redirect',
    ['RS384', 'RS512', 'PS256', 'ES256', 'EdDSA'].map((alg) => [
      `${alg}, which is not configured`,
      'alg',
      (forge) => forge.signAs(alg, claimsOf('redirect')),
    ]),
  ),
];

export const HEADERS: readonly Negative[] = [
  ...header([
    ['kid unknown', 'kid unknown', { kid: 'signing-key-9' }],
    ['kid absent among several keys', 'kid unknown', { kid: undefined }],
    ['kid of the other key', 'signature', { kid: OTHER_KID }],
    ['kid a path', 'kid unknown', { kid: '../../../dev/null' }],
    ['kid in SQL', 'kid unknown', { kid: `${KID}' OR '1'='1` }],
    ['kid an address', 'kid unknown', { kid: 'http://169.254.169.254/key' }],
    ['kid in capitals', 'kid unknown', { kid: KID.toUpperCase() }],
    ['kid of a prototype', 'kid unknown', { kid: '__proto__' }],
    ['kid empty', 'kid', { kid: '' }],
    ['kid null', 'kid', { kid: null }],
    ['kid a number', 'kid', { kid: 1 }],
    ['kid in an array', 'kid', { kid: [KID] }],
    ['kid of 256 characters', 'kid', { kid: 'k'.repeat(256) }],
    ['jku', 'header member jku', { jku: 'https://evil.example.test/jwks' }],
    ['x5u', 'header member x5u', { x5u: 'https://evil.example.test/cert' }],
    ['x5c', 'header member x5c', { x5c: ['MIIB'] }],
    ['crit', 'header member crit', { crit: ['exp'] }],
    ['crit empty', 'header member crit', { crit: [] }],
    ['b64 false', 'header member b64', { b64: false }],
    ['b64 false, as RFC 7797 has it', 'header member crit', { b64: false, crit: ['b64'] }],
    ['zip', 'header member zip', { zip: 'DEF' }],
    ['typ of an access token', 'typ', { typ: 'at+jwt' }],
    ['typ of a logout token', 'typ', { typ: 'logout+jwt' }],
    ['typ a number', 'typ', { typ: 1 }],
  ]),
  ...tableOf('redirect', [
    [
      'jwk, signed with it',
      'header member jwk',
      (forge) => {
        const jwk = forge.jwk(forge.foreign, {});
        const text = JSON.stringify({ alg: 'RS256', jwk });
        return forge.signText(text, good(), forge.foreign.privateKey);
      },
    ],
    [
      'alg twice in the header',
      'header: duplicate_name',
      (forge) => forge.signText(`{"alg":"none","alg":"RS256","kid":"${KID}"}`, good()),
    ],
    [
      'alg in escapes',
      'header: escaped_name',
      (forge) => forge.signText(`{"\\u0061lg":"RS256","kid":"${KID}"}`, good()),
    ],
    ['a header that is an array', 'header: not an object', (forge) => forge.signText('[]', good())],
    ['a header that is no JSON', 'header: syntax', (forge) => forge.signText('RS256', good())],
  ]),
];
