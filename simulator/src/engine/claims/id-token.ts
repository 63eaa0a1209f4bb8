import type { Locale } from '../locale.ts';
import type { Person, PersonName } from '../person.ts';
import type { Ms } from '../ports.ts';
import { dateInWords, documentExpiry, hijriDate } from './dates.ts';
import { identifierOf, nationalityIn, type Claims } from './identity.ts';

const GENDERS = { M: 'Male', F: 'Female' } as const;

/** What the token of a sign-in by browser says of the person. Texts where one expects numbers. */
export function idTokenClaims(person: Person, locale: Locale, now: Ms): Claims {
  const { nationalId, nationality, birthDate } = person;
  return {
    sub: nationalId,
    userid: nationalId,
    ...identifierOf(person),
    ...nameClaims('arabic', person.arabicName),
    ...nameClaims('english', person.englishName),
    nationality: nationalityIn(locale, nationality),
    nationalityCode: String(nationality.number),
    gender: GENDERS[person.gender],
    dob: dateInWords(birthDate),
    dobHijri: hijriDate(birthDate, '/'),
    lang: locale,
    preferredLang: person.preferredLocale,
    assurance_level: String(person.assuranceLevel),
    ...expiryClaims(person, documentExpiry(now)),
  };
}

/** A part that a name does not have is an empty text. */
function nameClaims(script: 'arabic' | 'english', name: PersonName): Claims {
  return {
    [`${script}Name`]: name.full,
    [`${script}FirstName`]: name.first,
    [`${script}FatherName`]: name.second ?? '',
    [`${script}GrandFatherName`]: name.third ?? '',
    [`${script}FamilyName`]: name.last ?? '',
  };
}

function expiryClaims({ documentType }: Person, date: string): Claims {
  const document = documentType === 'iqama' ? 'iqama' : 'id';
  return {
    [`${document}ExpiryDateGregorian`]: dateInWords(date),
    [`${document}ExpiryDateHijri`]: hijriDate(date, '/'),
  };
}
