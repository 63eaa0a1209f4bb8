import type { Person, PersonName } from '../people/person.ts';
import type { ClaimForms } from './claim-forms.ts';
import type { Claims } from './identity.ts';

type NameClaims = readonly [first: string, second: string, third: string, last: string];

const CITIZEN: NameClaims = ['firstName', 'fatherName', 'grandFatherName', 'familyName'];
const RESIDENT: NameClaims = ['firstName', 'secondName', 'thirdName', 'lastName'];
const TRANSLATED: NameClaims = [
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

type NameForms = Pick<ClaimForms, 'webNames' | 'visitors'>;

export function pushNames(person: Person, forms: NameForms): Claims {
  return { ...namesByDocument(person, forms), ...inParts(ENGLISH, person.englishName) };
}

/** The claims of the Arabic name differ by document. */
function namesByDocument(person: Person, { visitors }: NameForms): Claims {
  const { documentType, arabicName, englishName } = person;
  if (documentType === 'nin') return inParts(CITIZEN, arabicName);
  if (documentType === 'iqama') return inParts(RESIDENT, arabicName);
  if (visitors === 'translated') return inParts(TRANSLATED, arabicName);
  return { ...inParts(RESIDENT, arabicName), ...inParts(TRANSLATED, englishName) };
}

export function webNames(person: Person, forms: NameForms): Claims {
  const { arabicName, englishName } = person;
  switch (forms.webNames) {
    case 'whole':
      return { ...wholeAndParts('arabic', arabicName), ...wholeAndParts('english', englishName) };
    case 'push':
      return pushNames(person, forms);
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
