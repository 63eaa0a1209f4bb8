import type { Locale } from '../locale.ts';
import type { DocumentType } from './national-id.ts';

export const GENDERS = ['M', 'F'] as const;
export type Gender = (typeof GENDERS)[number];

/** A full name and its parts; a single name is the first part. */
export interface PersonName {
  readonly full: string;
  readonly first: string;
  readonly second: string | null;
  readonly third: string | null;
  readonly last: string | null;
}

export interface Nationality {
  /** ISO 3166-1 alpha-2. */
  readonly code: string;
  /** The provider's own number for the country; 113 is Saudi Arabia. */
  readonly number: number;
}

/** An invented person, who can sign in only here. */
export interface Person {
  /** A short name that never changes; tests and pages use it. */
  readonly id: string;
  readonly nationalId: string;
  readonly documentType: DocumentType;
  readonly arabicName: PersonName;
  readonly englishName: PersonName;
  readonly gender: Gender;
  readonly nationality: Nationality;
  /** YYYY-MM-DD, Gregorian. */
  readonly birthDate: string;
  readonly email: string;
  readonly assuranceLevel: number;
  readonly preferredLocale: Locale;
  /** What the person is useful for in a test, in a few English words. */
  readonly about: string;
}

/** The full name from its parts. Only this function decides how they are joined. */
export function joinName(parts: Omit<PersonName, 'full'>): string {
  const { first, second, third, last } = parts;
  return [first, second, third, last].filter((part) => part !== null).join(' ');
}
