import { withAsciiDigits } from '@miftah/contract/typed-digits';

/** What is masked by its form, wherever it stands and whatever its name. */

export const MASKED = '[masked]';

/** A token of a provider, whole or cut off. */
const JWT = /eyJ[\w-]{6,}(?:\.[\w-]*)*/g;
/** A token of the API, or the key of a client. */
const TOKEN = /mf[tk]_\w+/gi;
/** A token or a code, as base64url or hexadecimal. An id is shorter. */
const LONG = /[\w-]{40,}/g;
/** The same as base64: a path is in small letters. */
const LONG_BASE64 = /[A-Za-z0-9+/]{40,}={0,2}/g;
const BASE64_SIGNS = [/[A-Z]/, /[a-z]/, /[0-9]/];

const UUID = '[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}';
/** Dashes, spaces and signs that are not seen; no dot, which is in versions and network addresses. */
const BETWEEN = String.raw`[\p{Pd}\p{Zs}\p{Cf}_+]{0,3}`;
const TEN_DIGITS = String.raw`(?<!\p{Nd})\p{Nd}(?:${BETWEEN}\p{Nd}){9}(?!\p{Nd})`;
/** Ids are looked for too, because they are no numbers. */
const NUMBERS = new RegExp(String.raw`${UUID}|(?<!\p{Nd})\p{Nd}{10}(?!\p{Nd})|${TEN_DIGITS}`, 'gu');
const NO_NUMBER = /[a-f]|^\d{4}-\d\d-\d\d[ +]\d\d$|^[^-]{8}-[^-]{4}-[^-]{4}-[^-]{4}-[^-]{12}$/i;

/** Whether a number may be shown: of the invented people, or a reserved one. */
export type IsKnownNumber = (nationalId: string) => boolean;

export function maskForms(text: string, isKnown: IsKnownNumber): string {
  return text
    .replaceAll(JWT, MASKED)
    .replaceAll(TOKEN, MASKED)
    .replaceAll(LONG, MASKED)
    .replaceAll(LONG_BASE64, (run) =>
      BASE64_SIGNS.every((signs) => signs.test(run)) ? MASKED : run,
    )
    .replaceAll(NUMBERS, (found) => (NO_NUMBER.test(found) ? found : maskIdentity(found, isKnown)));
}

/** The value of a member that is an identity number, whatever its form. */
export function maskIdentity(text: string, isKnown: IsKnownNumber): string {
  const signs = Array.from(text);
  const { length } = signs;
  if (isKnown(asciiLettersAndDigits(text))) return text;
  return length < 6
    ? '•'.repeat(length)
    : `${signs[0]}${'•'.repeat(length - 3)}${signs.slice(-2).join('')}`;
}

/** The ASCII letters and digits of a typed number. Other digits become ASCII; everything else is left out. */
export function asciiLettersAndDigits(text: string): string {
  return withAsciiDigits(text).replaceAll(/[^A-Za-z\d]/g, '');
}
