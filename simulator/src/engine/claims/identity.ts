import type { Locale } from '../locale.ts';
import type { DocumentType } from '../national-id.ts';
import { once } from '../once.ts';
import type { Nationality, Person } from '../person.ts';

/** The claims of a token. */
export type Claims = Readonly<Record<string, unknown>>;

const IDENTIFIER_CLAIMS = {
  nin: 'nin',
  iqama: 'iqamaNumber',
  visa: 'visaNumber',
  border: 'borderNumber',
} as const satisfies Record<DocumentType, string>;

/** The one claim that says who somebody is; its name is the kind of document. */
export function identifierOf({ documentType, nationalId }: Person): Claims {
  return { [IDENTIFIER_CLAIMS[documentType]]: nationalId };
}

const COUNTRIES = {
  ar: once(() => new Intl.DisplayNames('ar', { type: 'region' })),
  en: once(() => new Intl.DisplayNames('en', { type: 'region' })),
} as const satisfies Record<Locale, () => Intl.DisplayNames>;

/** The name of the country; the provider's number for it is a claim of its own. */
export function nationalityIn(locale: Locale, { code }: Nationality): string {
  return COUNTRIES[locale]().of(code) ?? code;
}
