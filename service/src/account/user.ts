import { GENDERS } from '@miftah/contract/values';
import { typedDigits } from '@miftah/contract/typed-digits';
import type { Branded } from '../values/brand.ts';
import type { Flow } from '../attempt/flow.ts';
import type { Locale } from '../values/locale.ts';
import type { Ms } from '../values/time.ts';

/**
 * Ten ASCII digits, the first not zero. There is no checksum: neither the provider nor the
 * interface document defines one.
 */
export type NationalId = Branded<string, 'NationalId'>;

const TEN_DIGITS = /^[1-9]\d{9}$/;

/** @param text as somebody typed it: what `typedDigits` reads, or what is stored */
export function parseNationalId(text: string): NationalId | null {
  const digits = TEN_DIGITS.test(text) ? text : typedDigits(text);
  return digits !== null && TEN_DIGITS.test(digits) ? (digits as NationalId) : null;
}

export type UserId = Branded<number, 'UserId'>;

/**
 * Which identity document a number belongs to: equal digits of two document types are two people.
 */
export const DOCUMENT_TYPES = ['nin', 'iqama', 'visa', 'border'] as const;
export type DocumentType = (typeof DOCUMENT_TYPES)[number];

export { GENDERS };
export type Gender = (typeof GENDERS)[number];

/** For a person whose tokens do not say it. */
export const UNKNOWN_GENDER: Gender = 'X';

export const UNKNOWN_NATIONALITY = 'XX';

/**
 * A person as the identity provider reports them. (issuer, documentType, documentNumber) is the
 * key.
 */
export interface Person {
  readonly issuer: string;
  readonly documentType: DocumentType;
  readonly documentNumber: string;
  readonly nationalId: NationalId;
  readonly arabicName: string;
  readonly englishName: string;
  readonly email: string | null;
  /** ISO 3166-1 alpha-2, or `UNKNOWN_NATIONALITY` where the provider's code is not known. */
  readonly nationality: string;
  readonly gender: Gender;
  readonly assuranceLevel: number;
}

/** What the provider has said at one sign-in. */
export interface ReportedPerson extends Person {
  /** Gregorian, as YYYY-MM-DD; absent where it says none. No user has it. */
  readonly birthDate?: string;
}

/** What identifies a person, whatever else about them changes (decision 0002). */
export type PersonKey = Pick<Person, 'issuer' | 'documentType' | 'documentNumber'>;

export interface User extends Person {
  readonly id: UserId;
  readonly preferredLocale: Locale;
  readonly lastAuthMethod: Flow;
  readonly createdAt: Ms;
  readonly updatedAt: Ms;
  /**
   * When an operator disabled the user, who then gets no tokens and whose tokens are inactive; null
   * while the user is enabled.
   */
  readonly disabledAt: Ms | null;
  /** When an operator last ended the person's sign-ins; null for never. */
  readonly signInsEndedAt: Ms | null;
}

/**
 * Whether an operator has ended this person's sign-ins since the attempt began. Until somebody
 * approves an attempt nobody knows whose it is, so it is refused when it turns out to be theirs.
 */
export function isSignInEnded(
  { signInsEndedAt }: Pick<User, 'signInsEndedAt'>,
  { createdAt }: { readonly createdAt: Ms },
): boolean {
  return signInsEndedAt !== null && createdAt <= signInsEndedAt;
}

export function displayName(user: User): string {
  return user.preferredLocale === 'ar' ? user.arabicName : user.englishName;
}

/**
 * The user for an answer about one attempt: with the authentication method of this attempt, even if
 * the person has since signed in by the other method and changed the stored row.
 */
export function asSignedInBy(user: User, { flow }: { readonly flow: Flow }): User {
  return { ...user, lastAuthMethod: flow };
}

/** Whether a token said all that `completedBy` adds. */
export function isComplete(person: Person): boolean {
  return isNamed(person) && person.gender !== UNKNOWN_GENDER;
}

/** Keeps the stored values that a token did not contain (decision 0036). */
export function completedBy(person: Person, stored: Person): Person {
  const gender = person.gender === UNKNOWN_GENDER ? stored.gender : person.gender;
  if (isNamed(person)) return { ...person, gender };
  const { arabicName, englishName, email } = stored;
  const nationality =
    person.nationality === UNKNOWN_NATIONALITY ? stored.nationality : person.nationality;
  return { ...person, arabicName, englishName, email, gender, nationality };
}

/** False for a person from a push token without names, which only identifies the person. */
function isNamed({ arabicName, englishName }: Person): boolean {
  return arabicName !== '' || englishName !== '';
}

/** Null for everything but a positive integer, as the store assigns them. */
export function parseUserId(value: number): UserId | null {
  return Number.isSafeInteger(value) && value > 0 ? (value as UserId) : null;
}

export interface Login {
  readonly person: Person;
  readonly flow: Flow;
  readonly preferredLocale: Locale;
  readonly at: Ms;
}
