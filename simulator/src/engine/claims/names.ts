import type { DocumentType } from '../national-id.ts';
import type { Person, PersonName } from '../person.ts';
import type { WebNames } from './claim-forms.ts';
import type { Claims } from './identity.ts';

type NameClaims = readonly [first: string, second: string, third: string, last: string];

const CITIZEN: NameClaims = ['firstName', 'fatherName', 'grandFatherName', 'familyName'];
const RESIDENT: NameClaims = ['firstName', 'secondName', 'thirdName', 'lastName'];
const VISITOR: NameClaims = [
  'translatedFirstName',
  'translatedSecondName',
  'translatedThirdName',
  'translatedLastName',
];
const ENGLISH: NameClaims = [
  'englishFirstName',
  'englishSecondName',
  'englishThirdName',
  'englishLastName',
];

/** The claim names for the parts of the Arabic name, by document type. */
const BY_DOCUMENT = {
  nin: CITIZEN,
  iqama: RESIDENT,
  visa: VISITOR,
  border: VISITOR,
} as const satisfies Record<DocumentType, NameClaims>;

export function pushNames({ documentType, arabicName, englishName }: Person): Claims {
  return { ...inParts(BY_DOCUMENT[documentType], arabicName), ...inParts(ENGLISH, englishName) };
}

export function webNames(person: Person, form: WebNames): Claims {
  const { arabicName, englishName } = person;
  switch (form) {
    case 'whole':
      return { ...wholeAndParts('arabic', arabicName), ...wholeAndParts('english', englishName) };
    case 'push':
      return pushNames(person);
    case 'short':
      return { name_ar: arabicName.full, name_en: englishName.full };
  }
}

function wholeAndParts(script: 'arabic' | 'english', name: PersonName): Claims {
  const parts = ['First', 'Father', 'GrandFather', 'Family'].map((part) => `${script}${part}Name`);
  return { [`${script}Name`]: name.full, ...inParts(parts, name) };
}

/** A missing part of a name is an empty text. */
function inParts(claims: readonly string[], { first, second, third, last }: PersonName): Claims {
  const parts = [first, second, third, last];
  return Object.fromEntries(claims.map((claim, index) => [claim, parts[index] ?? '']));
}
