import type { Locale } from './locale.ts';
import type { DocumentType } from './national-id.ts';

export const GENDERS = ['M', 'F'] as const;
export type Gender = (typeof GENDERS)[number];

/** A name whole and in parts; people with one name have only the first part. */
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

/** Somebody invented, who can sign in here and nowhere else. */
export interface Person {
  /** A short word that never changes; tests and pages name people by it. */
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
  /** What this person is good for in a test, in a few English words. */
  readonly about: string;
}

/** The whole name from its parts, which is the only place that says how they are joined. */
export function joinName(parts: Omit<PersonName, 'full'>): string {
  const { first, second, third, last } = parts;
  return [first, second, third, last].filter((part) => part !== null).join(' ');
}
