import type { Branded } from './brand.ts';
import type { Flow } from './flow.ts';
import type { Locale } from './locale.ts';
import type { NationalId } from './national-id.ts';
import type { Ms } from './time.ts';

export type UserId = Branded<number, 'UserId'>;

/** Which identity document a number belongs to: the same digits in two registers are two people. */
export const DOCUMENT_TYPES = ['nin', 'iqama', 'visa', 'border'] as const;
export type DocumentType = (typeof DOCUMENT_TYPES)[number];

/** `X` where the provider did not say. */
export const GENDERS = ['M', 'F', 'X'] as const;
export type Gender = (typeof GENDERS)[number];

export const UNKNOWN_NATIONALITY = 'XX';

/** What an identity provider vouches for. (issuer, documentType, documentNumber) is the key. */
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

/** What a person is known by, whatever else has changed (decision 0008). */
export type PersonKey = Pick<Person, 'issuer' | 'documentType' | 'documentNumber'>;

export interface User extends Person {
  readonly id: UserId;
  readonly preferredLocale: Locale;
  readonly lastAuthMethod: Flow;
  readonly createdAt: Ms;
  readonly updatedAt: Ms;
  /** Since when nothing is issued to them and no token of theirs counts; null while they may. */
  readonly disabledAt: Ms | null;
}

export function displayName(user: User): string {
  return user.preferredLocale === 'ar' ? user.arabicName : user.englishName;
}

/**
 * The user in an answer about one attempt: signed in the way that this attempt did, whatever a
 * later sign-in of the same person has made of the stored row.
 */
export function asSignedInBy(user: User, { flow }: { readonly flow: Flow }): User {
  return { ...user, lastAuthMethod: flow };
}

/** False for what a push without names says: who it is, and nothing of what they are called. */
export function isNamed({ arabicName, englishName }: Person): boolean {
  return arabicName !== '' || englishName !== '';
}

/** What a token without names leaves open stays as it was (decision 0036). */
export function completedBy(person: Person, stored: Person): Person {
  const { arabicName, englishName, email, gender } = stored;
  const nationality =
    person.nationality === UNKNOWN_NATIONALITY ? stored.nationality : person.nationality;
  return { ...person, arabicName, englishName, email, gender, nationality };
}

/** Null for anything but the positive integers that a store counts users by. */
export function parseUserId(value: number): UserId | null {
  return Number.isSafeInteger(value) && value > 0 ? (value as UserId) : null;
}

export interface Login {
  readonly person: Person;
  readonly flow: Flow;
  readonly preferredLocale: Locale;
  readonly at: Ms;
}

/**
 * The user after a login: what the provider says now replaces what it said before; the id, the time
 * of the first login and what an operator has decided stay.
 */
export function userAfterLogin(
  { id, createdAt, disabledAt }: Pick<User, 'id' | 'createdAt' | 'disabledAt'>,
  { person, flow, preferredLocale, at }: Login,
): User {
  const kept = { id, createdAt, disabledAt };
  return { ...person, ...kept, preferredLocale, lastAuthMethod: flow, updatedAt: at };
}
