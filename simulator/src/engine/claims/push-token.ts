import type { Locale } from '../locale.ts';
import type { DocumentType } from '../national-id.ts';
import type { Person } from '../person.ts';
import type { Ms } from '../ports.ts';
import { dayFirst, documentExpiry, hijriDate, isMinor, ISSUE_DATE } from './dates.ts';
import { identifierOf, type Claims } from './identity.ts';
import { pushNames } from './names.ts';

/**
 * How much a push token says about the person. `thin`: only number and nationality, as the tokens
 * of some services. `nobody`: nothing, as for a rejection.
 */
export type PushContent = 'whole' | 'thin' | 'nobody';

export function pushClaims(person: Person, content: PushContent, locale: Locale, now: Ms): Claims {
  switch (content) {
    case 'whole':
      return wholeClaims(person, locale, now);
    case 'thin':
      return thinClaims(person);
    case 'nobody':
      return {};
  }
}

function thinClaims({ nationalId, nationality }: Person): Claims {
  return {
    sub: nationalId,
    PersonId: nationalId,
    nationalityCode: String(nationality.number),
  };
}

function wholeClaims(person: Person, locale: Locale, now: Ms): Claims {
  const { nationality, birthDate, gender, documentType } = person;
  return {
    ...identifierOf(person),
    ...pushNames(person),
    gender,
    // Only this country's letters are reported, so no others are invented.
    ...(nationality.code === 'SA' ? { nationality: 'SAU' } : {}),
    ...thinClaims(person),
    dateOfBirthG: dayFirst(birthDate),
    dateOfBirthH: hijriDate(birthDate, 'day-first'),
    isMinor: isMinor(birthDate, now),
    ...DOCUMENTS[documentType](locale, documentExpiry(now)),
    socialStatusCode: '1',
    socialStatusDesc: SINGLE[locale],
    nationalAddress: [ADDRESS],
  };
}

type DocumentClaims = (locale: Locale, expiry: string) => Claims;

const SINGLE = { ar: 'أعزب', en: 'Single' } as const;
const ISSUE_PLACE = { ar: 'مدينة تجريبية', en: 'Test City' } as const;

const visitor: DocumentClaims = (_locale, expiry) => ({ visaExpiryDate: dayFirst(expiry) });

/** The claims about the document, by document type. */
const DOCUMENTS = {
  nin: (_locale, expiry) => ({
    idExpiryDateG: dayFirst(expiry),
    idExpiryDateH: hijriDate(expiry, 'day-first'),
    idVersionNumber: 1,
  }),
  iqama: (locale, expiry) => ({
    iqamaIssueDateG: dayFirst(ISSUE_DATE),
    iqamaIssueDateH: hijriDate(ISSUE_DATE, 'day-first'),
    iqamaIssuePlaceDesc: ISSUE_PLACE[locale],
    iqamaExpiryDateG: dayFirst(expiry),
    iqamaExpiryDateH: hijriDate(expiry, 'day-first'),
  }),
  visa: visitor,
  border: visitor,
} as const satisfies Record<DocumentType, DocumentClaims>;

/** The same invented address for everybody; its members are assumed. */
const ADDRESS = {
  buildingNumber: '0000',
  streetName: 'Test Street',
  district: 'Test District',
  city: 'Test City',
  postCode: '00000',
  additionalNumber: '0000',
  isPrimaryAddress: 'true',
} as const;
