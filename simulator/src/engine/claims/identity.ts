import type { Locale } from '../locale.ts';
import type { DocumentType } from '../people/national-id.ts';
import { once } from '../once.ts';
import type { Nationality, Person } from '../people/person.ts';
import type { NumberForm } from './claim-forms.ts';

/** The claims of a token. */
export type Claims = Readonly<Record<string, unknown>>;

const IDENTIFIER_CLAIMS = {
  nin: 'nin',
  iqama: 'iqamaNumber',
  visa: 'visaNumber',
  border: 'borderNumber',
} as const satisfies Record<DocumentType, string>;

/** The one claim that identifies the person; its name depends on the document type. */
export function identifierOf({ documentType, nationalId }: Person, form: NumberForm): Claims {
  return { [IDENTIFIER_CLAIMS[documentType]]: inForm(form, nationalId) };
}

export function inForm(form: NumberForm, nationalId: string): string | number {
  return form === 'number' ? Number(nationalId) : nationalId;
}

const COUNTRIES = {
  ar: once(() => new Intl.DisplayNames('ar', { type: 'region' })),
  en: once(() => new Intl.DisplayNames('en', { type: 'region' })),
} as const satisfies Record<Locale, () => Intl.DisplayNames>;

/** The name of the country. The provider's number for it is another claim. */
export function nationalityIn(locale: Locale, { code }: Nationality): string {
  return COUNTRIES[locale]().of(code) ?? code;
}
