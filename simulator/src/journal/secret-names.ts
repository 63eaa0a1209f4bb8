/** What carries a secret, by name: members of bodies, headers, parameters and fields. */

const NAMES: ReadonlySet<string> = new Set([
  'accesstoken',
  'apitoken',
  'appid',
  'appkey',
  'assertion',
  'attempttoken',
  'authorization',
  'clientkey',
  'clientsecret',
  'completioncode',
  'cookie',
  'idtoken',
  'jwt',
  'nonce',
  'password',
  'refreshtoken',
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
  'nationalid',
  'nin',
  'personid',
  'sub',
]);

export function isSecretName(name: string): boolean {
  return NAMES.has(plain(name));
}

/** In an address `code` is one too; in a body it is that of an error. */
export function isSecretParameter(name: string): boolean {
  return isSecretName(name) || plain(name) === 'code';
}

export function isIdentityName(name: string): boolean {
  return IDENTITY_NAMES.has(plain(name));
}

/** `attempt_token`, `attemptToken` and `Attempt-Token` are one. */
function plain(name: string): string {
  return name.replaceAll(/[^A-Za-z]/g, '').toLowerCase();
}
