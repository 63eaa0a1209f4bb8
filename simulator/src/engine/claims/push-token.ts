import type { Locale } from '../locale.ts';
import type { DocumentType } from '../people/national-id.ts';
import type { Person } from '../people/person.ts';
import type { Ms } from '../ports.ts';
import { dayFirst, documentExpiry, hijriDate, isMinor, ISSUE_DATE } from './dates.ts';
import type { ClaimForms } from './claim-forms.ts';
import { identifierOf, inForm, nationalityIn, type Claims } from './identity.ts';
import { pushNames } from './names.ts';

/**
 * How much a push token says about the person. `thin`: only number and nationality, as the tokens
 * of some services. `nobody`: nothing, as for a rejection.
 */
export type PushContent = 'whole' | 'thin' | 'nobody';

export interface WantedClaims {
  readonly content: PushContent;
  readonly forms: ClaimForms;
  readonly locale: Locale;
  readonly now: Ms;
}

export function pushClaims(person: Person, wanted: WantedClaims): Claims {
  switch (wanted.content) {
    case 'whole':
      return wholeClaims(person, wanted);
    case 'thin':
      return thinClaims(person, wanted.forms);
    case 'nobody':
      return {};
  }
}

function thinClaims({ nationalId, nationality }: Person, { pushPersonId }: ClaimForms): Claims {
  return {
    sub: nationalId,
    PersonId: inForm(pushPersonId, nationalId),
    nationalityCode: String(nationality.number),
  };
}

function wholeClaims(person: Person, { forms, locale, now }: WantedClaims): Claims {
  const { nationality, gender, documentType } = person;
  return {
    ...identifierOf(person, forms.pushNumber),
    ...pushNames(person, forms),
    gender,
    // Only this country's letters are reported, so no others are invented.
    ...(nationality.code === 'SA' ? { nationality: 'SAU' } : {}),
    ...thinClaims(person, forms),
    ...birthClaims(person, forms),
    isMinor: isMinor(person.birthDate, now),
    ...DOCUMENTS[documentType](person, locale, documentExpiry(now)),
    socialStatusCode: '1',
    socialStatusDesc: SINGLE[locale],
    nationalAddress: [ADDRESS],
  };
}

/** Visitors have them under names of their own. */
function birthClaims({ documentType, birthDate }: Person, { visitors }: ClaimForms): Claims {
  const [gregorian, hijri] = [dayFirst(birthDate), hijriDate(birthDate, 'day-first')];
  const isVisitor = documentType === 'visa' || documentType === 'border';
  return isVisitor && visitors === 'named'
    ? { birthgDate: gregorian, birthhDate: hijri }
    : { dateOfBirthG: gregorian, dateOfBirthH: hijri };
}

type DocumentClaims = (person: Person, locale: Locale, expiry: string) => Claims;

const SINGLE = { ar: 'أعزب', en: 'Single' } as const;
const ISSUE_PLACE = { ar: 'مدينة تجريبية', en: 'Test City' } as const;

const visitor: DocumentClaims = (_person, _locale, expiry) => ({
  visaExpiryDate: dayFirst(expiry),
});

/** The claims about the document, by document type. */
const DOCUMENTS = {
  nin: (_person, _locale, expiry) => ({
    idExpiryDateG: dayFirst(expiry),
    idExpiryDate: hijriDate(expiry, 'day-first'),
    idVersionNumber: 1,
  }),
  iqama: ({ nationality }, locale, expiry) => ({
    nationalityDesc: nationalityIn(locale, nationality),
    iqamaVersionNumber: 1,
    iqamaIssueDateG: dayFirst(ISSUE_DATE),
    iqamaIssueDateH: hijriDate(ISSUE_DATE, 'day-first'),
    iqamaIssuePlaceCode: '1',
    iqamaIssuePlaceDesc: ISSUE_PLACE[locale],
    iqamaExpiryDateG: dayFirst(expiry),
    iqamaExpiryDateH: hijriDate(expiry, 'day-first'),
  }),
  visa: visitor,
  border: visitor,
} as const satisfies Record<DocumentType, DocumentClaims>;

/** The same invented address for everybody, in both languages. */
const ADDRESS = {
  buildingNumber: '0000',
  additionalNumber: '0000',
  unitNumber: '0',
  streetName: 'شارع تجريبي',
  streetL2: 'Test Street',
  districtName: 'حي تجريبي',
  districtNameL2: 'Test District',
  city: 'مدينة تجريبية',
  cityL2: 'Test City',
  regionName: 'منطقة تجريبية',
  regionNameL2: 'Test Region',
  postCode: '00000',
  shortAddress: 'TEST0000',
  locationCoordinates: '0.0 0.0',
  isPrimaryAddress: 'true',
} as const;
