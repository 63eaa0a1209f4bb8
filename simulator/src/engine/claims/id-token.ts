import type { Locale } from '../locale.ts';
import type { Person } from '../people/person.ts';
import type { Ms } from '../ports.ts';
import type { ClaimForms } from './claim-forms.ts';
import { dateInWords, documentExpiry, hijriDate } from './dates.ts';
import { identifierOf, inForm, nationalityIn, type Claims } from './identity.ts';
import { webNames } from './names.ts';

const GENDERS = { M: 'Male', F: 'Female' } as const;

/**
 * The claims about a person in the token of a sign-in by browser.
 */
export function idTokenClaims(person: Person, forms: ClaimForms, locale: Locale, now: Ms): Claims {
  const { nationalId, nationality, birthDate } = person;
  return {
    sub: nationalId,
    userid: nationalId,
    ...numberOf(person, forms),
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

function numberOf(person: Person, { webNumber, webNumberForm: form }: ClaimForms): Claims {
  if (webNumber === 'typed') return identifierOf(person, form);
  return webNumber === 'nationalId' ? { nationalId: inForm(form, person.nationalId) } : {};
}

function expiryClaims({ documentType }: Person, date: string): Claims {
  const document = documentType === 'iqama' ? 'iqama' : 'id';
  return {
    [`${document}ExpiryDateGregorian`]: dateInWords(date),
    [`${document}ExpiryDateHijri`]: hijriDate(date, 'year-first'),
  };
}
