import type { Locale } from '../locale.ts';
import type { Person } from '../person.ts';
import type { Ms } from '../ports.ts';
import type { ClaimForms, WebNumber } from './claim-forms.ts';
import { dateInWords, documentExpiry, hijriDate } from './dates.ts';
import { identifierOf, nationalityIn, type Claims } from './identity.ts';
import { webNames } from './names.ts';

const GENDERS = { M: 'Male', F: 'Female' } as const;

/**
 * The claims about a person in the token of a sign-in by browser. Numbers are texts, as reported.
 */
export function idTokenClaims(person: Person, forms: ClaimForms, locale: Locale, now: Ms): Claims {
  const { nationalId, nationality, birthDate } = person;
  return {
    sub: nationalId,
    userid: nationalId,
    ...numberOf(person, forms.webNumber),
    ...webNames(person, forms),
    nationality: nationalityIn(locale, nationality),
    nationalityCode: String(nationality.number),
    ...(forms.webGender === 'stated' && { gender: GENDERS[person.gender] }),
    dob: dateInWords(birthDate),
    dobHijri: hijriDate(birthDate, 'year-first'),
    lang: locale,
    preferredLang: person.preferredLocale,
    assurance_level: String(person.assuranceLevel),
    ...expiryClaims(person, documentExpiry(now)),
  };
}

function numberOf(person: Person, form: WebNumber): Claims {
  if (form === 'typed') return identifierOf(person);
  return form === 'nationalId' ? { nationalId: person.nationalId } : {};
}

function expiryClaims({ documentType }: Person, date: string): Claims {
  const document = documentType === 'iqama' ? 'iqama' : 'id';
  return {
    [`${document}ExpiryDateGregorian`]: dateInWords(date),
    [`${document}ExpiryDateHijri`]: hijriDate(date, 'year-first'),
  };
}
