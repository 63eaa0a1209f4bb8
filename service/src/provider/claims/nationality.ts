import { UNKNOWN_NATIONALITY } from '../../account/user.ts';
import { member, textMember, type JsonObject } from '../strict-json.ts';
import { TokenFault } from '../token/token-fault.ts';

/**
 * The only country code in letters that was reported. Otherwise `nationality` is a name, or absent.
 */
const SEEN = { letters: 'SAU', country: 'SA' } as const;
const LETTERS = /^[A-Z]{3}$/;

/**
 * By the provider's country number, or else by the letters. @throws TokenFault when exactly one of
 * the two is that of the country above
 */
export function readNationality(claims: JsonObject, known: ReadonlyMap<number, string>): string {
  const number = countryNumber(claims);
  const letters = textMember(claims, 'nationality') ?? '';
  const isByLetters = letters === SEEN.letters;
  if (number === null) return isByLetters ? SEEN.country : UNKNOWN_NATIONALITY;
  const country = known.get(number) ?? UNKNOWN_NATIONALITY;
  if (LETTERS.test(letters) && isByLetters !== (country === SEEN.country)) {
    throw new TokenFault('nationality', 'two nationalities');
  }
  return country;
}

/**
 * Digits as text in most tokens, a number in some; in `nationality` if `nationalityCode` is absent.
 */
function countryNumber(claims: JsonObject): number | null {
  const code = member(claims, 'nationalityCode') ?? member(claims, 'nationality');
  const digits = typeof code === 'number' ? String(code) : code;
  return typeof digits === 'string' && /^\d{1,4}$/.test(digits) ? Number(digits) : null;
}
