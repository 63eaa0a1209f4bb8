/** What carries a secret, by name: members of bodies, headers, parameters and fields. */
import { decodingsOf } from './decodings.ts';
import { MASKED } from './mask-forms.ts';

const NAMES: ReadonlySet<string> = new Set([
  'accesstoken',
  'apitoken',
  'appid',
  'appkey',
  'assertion',
  'attempttoken',
  'authorization',
  'authreqid',
  'clientassertion',
  'clientkey',
  'clientnotificationtoken',
  'clientsecret',
  'codeverifier',
  'completioncode',
  'cookie',
  'idtoken',
  'idtokenhint',
  'jwt',
  'nonce',
  'password',
  'refreshtoken',
  'requesturi',
  'secret',
  'setcookie',
  'state',
  'token',
  'xproviderattempttoken',
]);

/** What carries an identity number, by name. */
const IDENTITY_NAMES: ReadonlySet<string> = new Set([
  'documentnumber',
  'iqama',
  'iqamanumber',
  'loginhint',
  'logouthint',
  'nationalid',
  'nin',
  'personid',
  'sub',
]);

export function isSecretName(name: string): boolean {
  return NAMES.has(plain(name));
}

/**
 * In an address `code` is one too; in a body it is that of an error.
 * @param name as it is written, with its escapes; one with too many of them, or that was masked for
 *   that, may be any name
 */
export function isSecretParameter(name: string): boolean {
  const { texts, isKnown } = decodingsOf(name);
  return (
    !isKnown ||
    name === MASKED ||
    texts.some((text) => isSecretName(text) || plain(text) === 'code')
  );
}

export function isIdentityName(name: string): boolean {
  return IDENTITY_NAMES.has(plain(name));
}

/** `attempt_token`, `attemptToken` and `Attempt-Token` are one. */
function plain(name: string): string {
  return name.replaceAll(/[^A-Za-z]/g, '').toLowerCase();
}
