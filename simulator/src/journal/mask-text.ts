import { isSecretName, isSecretParameter } from './secret-names.ts';

export const MASKED = '[masked]';

/** Members of an address, or of a form in one. */
const PARAMETER = /([?&#])([^=&#?\s"'<>]{1,64})=([^&#\s"'<>]*)/g;
/** Members of JSON that is quoted, or that was cut off. */
const MEMBER = /"([^"\\]{1,64})(\\?"\s*:\s*\\?")([^"\\]*)/g;
/** A token of a provider, whole or cut off. */
const JWT = /eyJ[\w-]{6,}(?:\.[\w-]*)*/g;
/** A token of the API. */
const API_TOKEN = /mft_\w+/g;
const TEN_DIGITS = /(?<![\p{L}\p{Nd}])\p{Nd}{10}(?![\p{L}\p{Nd}])/gu;
/** The first codes of the digits that people type here: Arabic-Indic, Persian. */
const ZEROS = [0x660, 0x6f0];

/** Whether a number may be shown: of the invented people, or a reserved one. */
export type IsKnownNumber = (nationalId: string) => boolean;

export interface TextMask {
  /** It is no secret, although it can be the `state` of a page. */
  readonly attemptId: string;
  /** Values that are secrets wherever they stand. */
  readonly secrets: readonly string[];
  readonly isKnown: IsKnownNumber;
}

/** A text without secrets and without identity numbers of anybody but the invented people. */
export function maskText(text: string, mask: TextMask): string {
  const parted = text
    .replaceAll(PARAMETER, (whole: string, before: string, name: string, value: string) =>
      maskParameter(whole, { before, name, value }, mask),
    )
    .replaceAll(MEMBER, (whole: string, name: string, between: string) =>
      isSecretName(name) ? `"${name}${between}${MASKED}` : whole,
    );
  const without = mask.secrets.reduce((rest, secret) => rest.replaceAll(secret, MASKED), parted);
  return maskNumbers(without.replaceAll(JWT, MASKED).replaceAll(API_TOKEN, MASKED), mask.isKnown);
}

interface Parameter {
  readonly before: string;
  readonly name: string;
  readonly value: string;
}

function maskParameter(whole: string, { before, name, value }: Parameter, mask: TextMask): string {
  const isPublic = value === '' || value === mask.attemptId;
  if (isSecretParameter(name)) return isPublic ? whole : `${before}${name}=${MASKED}`;
  const plain = decoded(value);
  if (plain === value) return whole;
  const masked = maskText(plain, mask);
  return masked === plain ? whole : `${before}${name}=${masked}`;
}

/** The value of a member that is an identity number, whatever its form. */
export function maskIdentity(text: string, isKnown: IsKnownNumber): string {
  const { length } = text;
  if (isKnown(inAscii(text))) return text;
  return length < 6
    ? '•'.repeat(length)
    : `${text.charAt(0)}${'•'.repeat(length - 3)}${text.slice(-2)}`;
}

function maskNumbers(text: string, isKnown: IsKnownNumber): string {
  return text.replaceAll(TEN_DIGITS, (number) => maskIdentity(number, isKnown));
}

function inAscii(text: string): string {
  return text.replaceAll(/\p{Nd}/gu, (digit) => {
    const code = digit.codePointAt(0) ?? 0;
    const zero = ZEROS.find((first) => code >= first && code < first + 10);
    return zero === undefined ? digit : String(code - zero);
  });
}

/** A text with escapes that mean nothing as it is. */
function decoded(value: string): string {
  try {
    return decodeURIComponent(value.replaceAll('+', ' '));
  } catch {
    return value;
  }
}
