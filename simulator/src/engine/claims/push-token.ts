import type { Locale } from '../locale.ts';
import type { DocumentType } from '../national-id.ts';
import type { Person } from '../person.ts';
import { hijriDate } from './dates.ts';
import { identifierOf, nationalityIn, type Claims } from './identity.ts';

type NameClaims = readonly [first: string, second: string, third: string, last: string];

const CITIZEN: NameClaims = ['firstName', 'fatherName', 'grandFatherName', 'familyName'];
const RESIDENT: NameClaims = ['firstName', 'secondName', 'thirdName', 'lastName'];
const VISITOR: NameClaims = [
  'translatedFirstName',
  'translatedSecondName',
  'translatedThirdName',
  'translatedLastName',
];

const NAME_CLAIMS = {
  nin: CITIZEN,
  iqama: RESIDENT,
  visa: VISITOR,
  border: VISITOR,
} as const satisfies Record<DocumentType, NameClaims>;

/** What the token of an approved push says of the person. Here the country's number is a number. */
export function personClaims(person: Person, locale: Locale): Claims {
  const { englishName, nationality, birthDate } = person;
  return {
    ...identifierOf(person),
    ...nameClaims(person),
    englishFirstName: englishName.first,
    englishSecondName: englishName.second ?? '',
    englishThirdName: englishName.third ?? '',
    englishLastName: englishName.last ?? '',
    gender: person.gender,
    nationality: nationalityIn(locale, nationality),
    nationalityCode: nationality.number,
    dateOfBirthG: birthDate,
    dateOfBirthH: hijriDate(birthDate, '-'),
  };
}

/** The Arabic name, under the names that its parts have on this kind of document. */
function nameClaims({ documentType, arabicName }: Person): Claims {
  const { first, second, third, last } = arabicName;
  const parts = [first, second, third, last].map((part) => part ?? '');
  return Object.fromEntries(
    NAME_CLAIMS[documentType].map((claim, index) => [claim, parts[index] ?? '']),
  );
}
