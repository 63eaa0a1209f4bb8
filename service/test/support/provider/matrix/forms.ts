import { deflateRawSync } from 'node:zlib';
import { NONCE } from '../session-answer.ts';
import { claimsOf, encode, KID, NOW_S } from '../token-forge.ts';
import { good, type Maker, type Negative, RIGHT_HEADER, tableOf } from './table.ts';

/** Builds a token from the three parts of a valid one. */
function parts(change: (header: string, claims: string, signature: string) => string): Maker {
  return (forge) => {
    const [first = '', claims = '', signature = ''] = forge.sign(claimsOf('redirect')).split('.');
    return change(first, claims, signature);
  };
}

/**
 * A text that a lenient decoder reads as the same bytes, if the last character has unused bits. A
 * signature of 3072 bits leaves none, so it becomes another signature.
 */
function spareBits(part: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  return part.slice(0, -1) + (alphabet[alphabet.indexOf(part.slice(-1)) + 1] ?? '');
}

function flipped(part: string): string {
  const bytes = Buffer.from(part, 'base64url');
  bytes[10] = (bytes[10] ?? 0) ^ 1;
  return encode(bytes);
}

export const SIGNATURES: readonly Negative[] = tableOf('redirect', [
  ['signature empty', 'not three parts', parts((h, c) => `${h}.${c}.`)],
  ['signature left out', 'not three parts', parts((h, c) => `${h}.${c}`)],
  ['signature with a bit flipped', 'signature', parts((h, c, s) => `${h}.${c}.${flipped(s)}`)],
  ['signature cut off', 'signature', parts((h, c, s) => `${h}.${c}.${s.slice(0, 40)}`)],
  ['signature of zeros', 'signature', parts((h, c) => `${h}.${c}.${encode(Buffer.alloc(256))}`)],
  [
    'signature of two zero numbers',
    'signature',
    parts((h, c) => `${h}.${c}.${encode(Buffer.alloc(64))}`),
  ],
  ['signature padded', 'base64url', parts((h, c, s) => `${h}.${c}.${s}==`)],
  ['signature with a line end', 'base64url', parts((h, c, s) => `${h}.${c}.${s}\n`)],
  [
    'signature with spare bits set',
    'token refused',
    parts((h, c, s) => `${h}.${c}.${spareBits(s)}`),
  ],
  ['signature in plain Base64', 'base64url', parts((h, c) => `${h}.${c}.${'+/'.repeat(171)}`)],
  ['a part too many', 'not three parts', parts((h, c, s) => `${h}.${c}.${s}.${s}`)],
  ['a header that is empty', 'not three parts', parts((_h, c, s) => `.${c}.${s}`)],
  ['claims that are empty', 'not three parts', parts((h, _c, s) => `${h}..${s}`)],
  ['a blank before it', 'base64url', parts((h, c, s) => ` ${h}.${c}.${s}`)],
  [
    'claims of another token',
    'signature',
    parts(
      (h, _c, s) => `${h}.${encode(JSON.stringify(claimsOf('redirect', { gender: 'F' })))}.${s}`,
    ),
  ],
  [
    'a header of another token',
    'signature',
    parts((_h, c, s) => `${encode(RIGHT_HEADER)}.${c}.${s}`),
  ],
  [
    'signed by a key that nobody published',
    'signature',
    (forge) => forge.signText(RIGHT_HEADER, good(), forge.foreign.privateKey),
  ],
  ['nothing', 'not three parts', () => ''],
  ['two dots', 'not three parts', () => '..'],
  ['a token as JSON', 'base64url', (forge) => JSON.stringify({ payload: forge.sign({}) })],
  ['a JWE', 'not three parts', () => jwe(Buffer.alloc(64))],
  ['a JWE that unpacks to much', 'not three parts', () => jwe(deflateRawSync(Buffer.alloc(4e6)))],
  [
    'a JWE cut to three parts',
    'header member enc',
    () => jwe(Buffer.alloc(9)).split('.').slice(0, 3).join('.'),
  ],
  [
    'a token of more than 16 KiB',
    'too long',
    (forge) => forge.sign(claimsOf('redirect', { about: 'a'.repeat(16 * 1024) })),
  ],
]);

function jwe(content: Buffer): string {
  const parameters = JSON.stringify({ alg: 'RSA-OAEP', enc: 'A256GCM', zip: 'DEF', kid: KID });
  const others = [Buffer.alloc(256, 1), Buffer.alloc(12, 1), content, Buffer.alloc(16, 1)];
  return [Buffer.from(parameters), ...others].map((part) => encode(part)).join('.');
}

/** Tokens with a valid signature that two readers could read differently. */
export const READINGS: readonly Negative[] = tableOf('redirect', [
  ['iss twice', 'claims: duplicate_name', doubled('iss', 'https://evil.example.test')],
  ['sub twice', 'claims: duplicate_name', doubled('sub', '1000003301')],
  ['nin twice', 'claims: duplicate_name', doubled('nin', '1000003301')],
  ['nonce twice', 'claims: duplicate_name', doubled('nonce', NONCE)],
  ['exp twice', 'claims: duplicate_name', doubled('exp', NOW_S + 149)],
  [
    'a claim twice, once in escapes',
    'claims: escaped_name',
    (forge) => forge.signText(RIGHT_HEADER, good().replace('{', '{"\\u006ein":"1000003301",')),
  ],
  [
    'a claim in escapes',
    'claims: escaped_name',
    (forge) => forge.signText(RIGHT_HEADER, good().replace('"nonce"', '"\\u006eonce"')),
  ],
  [
    'claims that are an array',
    'claims: not an object',
    (forge) => forge.signText(RIGHT_HEADER, `[${good()}]`),
  ],
  [
    'claims that are text',
    'claims: not an object',
    (forge) => forge.signText(RIGHT_HEADER, JSON.stringify(good())),
  ],
  [
    'claims that are null',
    'claims: not an object',
    (forge) => forge.signText(RIGHT_HEADER, 'null'),
  ],
  [
    'claims cut off',
    'claims: syntax',
    (forge) => forge.signText(RIGHT_HEADER, good().slice(0, -1)),
  ],
  [
    'claims after a byte order mark',
    'claims: syntax',
    (forge) => forge.signText(RIGHT_HEADER, `\ufeff${good()}`),
  ],
  [
    'claims that are not UTF-8',
    'claims: not an object',
    (forge) =>
      forge.signText(RIGHT_HEADER, Buffer.from(good().replace('faisal', 'fa\u00efsal'), 'latin1')),
  ],
  [
    'claims too deep',
    'claims: too_complex',
    (forge) =>
      forge.signText(RIGHT_HEADER, good().replace('{', `{"a":${'['.repeat(9)}${']'.repeat(9)},`)),
  ],
  [
    'claims too many',
    'claims: too_complex',
    (forge) =>
      forge.sign(
        claimsOf(
          'redirect',
          Object.fromEntries(Array.from({ length: 600 }, (_, at) => [`c${at}`, 1])),
        ),
      ),
  ],
  [
    'claims that come from a prototype',
    'nonce missing',
    (forge) =>
      forge.signText(
        RIGHT_HEADER,
        JSON.stringify(claimsOf('redirect', { nonce: undefined })).replace(
          '{',
          `{"__proto__":{"nonce":"${NONCE}"},`,
        ),
      ),
  ],
]);

function doubled(name: string, value: unknown): Maker {
  const more = `{${JSON.stringify(name)}:${JSON.stringify(value)},`;
  return (forge) => forge.signText(RIGHT_HEADER, good().replace('{', more));
}
