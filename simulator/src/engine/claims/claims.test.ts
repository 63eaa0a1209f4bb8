import { describe, expect, it } from 'vitest';
import { AMAL } from '../../../test/support/engines.ts';
import { START } from '../../../test/support/fakes.ts';
import { BUILT_IN_PEOPLE } from '../people/built-in-people.ts';
import type { Person } from '../people/person.ts';
import { idTokenClaims } from './id-token.ts';
import {
  CLAIM_PROFILE_NAMES,
  CLAIM_PROFILES,
  REPORTED_FORMS,
  type ClaimProfileName,
} from './claim-forms.ts';
import { pushClaims } from './push-token.ts';
import { planToken } from './token-plan.ts';

function personOf(id: string): Person {
  const person = BUILT_IN_PEOPLE.all.find((each) => each.id === id);
  if (person === undefined) throw new Error(`no ${id} in the cast`);
  return person;
}

describe('the claims of a sign-in by browser', () => {
  it('are these for a citizen', () => {
    expect(idTokenClaims(personOf('amal'), REPORTED_FORMS, 'ar', START)).toEqual({
      sub: '1000001101',
      userid: '1000001101',
      nin: '1000001101',
      arabicName: 'أمل سالم ناصر النموذجي',
      arabicFirstName: 'أمل',
      arabicFatherName: 'سالم',
      arabicGrandFatherName: 'ناصر',
      arabicFamilyName: 'النموذجي',
      englishName: 'Amal Salem Nasser Alnamuthaji',
      englishFirstName: 'Amal',
      englishFatherName: 'Salem',
      englishGrandFatherName: 'Nasser',
      englishFamilyName: 'Alnamuthaji',
      nationality: 'المملكة العربية السعودية',
      nationalityCode: '113',
      gender: 'Female',
      dob: 'Thu Apr 12 00:00:00 AST 1990',
      dobHijri: '1410/09/16',
      lang: 'ar',
      preferredLang: 'ar',
      assurance_level: '3',
      idExpiryDateGregorian: 'Tue Dec 31 00:00:00 AST 2030',
      idExpiryDateHijri: '1452/09/06',
    });
  });

  it.each([
    ['faisal', 'nin', 'idExpiryDateGregorian'],
    ['kusuma', 'iqamaNumber', 'iqamaExpiryDateGregorian'],
    ['lukas', 'visaNumber', 'idExpiryDateGregorian'],
    ['hanae', 'borderNumber', 'idExpiryDateGregorian'],
  ])('identify %s by %s alone', (id, claim, expiry) => {
    const person = personOf(id);
    const claims = idTokenClaims(person, REPORTED_FORMS, 'en', START);
    expect(Object.keys(claims).filter((name) => IDENTIFIERS.has(name))).toEqual([claim]);
    expect(claims[claim]).toBe(person.nationalId);
    expect(claims[expiry]).toBe('Tue Dec 31 00:00:00 AST 2030');
  });

  it('follow the page in their language, and leave empty what a name does not have', () => {
    expect(idTokenClaims(personOf('kusuma'), REPORTED_FORMS, 'en', START)).toMatchObject({
      lang: 'en',
      arabicFatherName: '',
      englishFirstName: 'Kusuma',
      englishFamilyName: '',
    });
    expect(idTokenClaims(personOf('amal'), REPORTED_FORMS, 'en', START)['nationality']).toBe(
      'Saudi Arabia',
    );
  });
});

const IDENTIFIERS = new Set(['nin', 'iqamaNumber', 'visaNumber', 'borderNumber']);

const ENGLISH = ['englishFirstName', 'englishSecondName', 'englishThirdName', 'englishLastName'];
const CITIZEN = ['firstName', 'fatherName', 'grandFatherName', 'familyName'];

describe('the disputed forms of a sign-in by browser', () => {
  const amal = personOf('amal');
  const namesIn = (name: ClaimProfileName, person = amal) =>
    Object.keys(idTokenClaims(person, CLAIM_PROFILES[name], 'ar', START)).filter((claim) =>
      /name/i.test(claim),
    );
  const claimsIn = (name: ClaimProfileName) =>
    idTokenClaims(amal, CLAIM_PROFILES[name], 'ar', START);

  it('are each a profile with a name, and the usual one is the reported', () => {
    expect(CLAIM_PROFILE_NAMES).toEqual([
      'reported',
      'web-push-names',
      'web-short-names',
      'web-national-id',
      'web-number',
      'web-subject',
      'web-no-gender',
      'push-thin',
      'push-thin-number',
      'push-number',
      'push-numbers',
      'push-translated',
    ]);
    expect(CLAIM_PROFILES.reported).toBe(REPORTED_FORMS);
  });

  it('name the person as a push does, by the document', () => {
    expect(namesIn('web-push-names')).toEqual([...CITIZEN, ...ENGLISH]);
    expect(namesIn('web-push-names', personOf('lukas')).slice(0, 5)).toEqual([
      'firstName',
      'secondName',
      'thirdName',
      'lastName',
      'translatedFirstName',
    ]);
  });

  it('name the person in two short claims', () => {
    expect(namesIn('web-short-names')).toEqual(['name_ar', 'name_en']);
    expect(claimsIn('web-short-names')).toMatchObject({
      name_ar: amal.arabicName.full,
      name_en: amal.englishName.full,
    });
  });

  it('have the number under no document’s name', () => {
    expect(claimsIn('web-national-id')).toMatchObject({ nationalId: AMAL, sub: AMAL });
    expect(claimsIn('web-subject')).toMatchObject({ userid: AMAL, sub: AMAL });
    expect(Object.keys(claimsIn('web-subject'))).not.toContain('nationalId');
    for (const name of ['web-national-id', 'web-subject'] as const) {
      expect(Object.keys(claimsIn(name)).filter((claim) => IDENTIFIERS.has(claim))).toEqual([]);
    }
  });
});

it('numbers of JSON are where the name of a profile says so', () => {
  const numbersIn = (profile: ClaimProfileName, id: string) => {
    const forms = CLAIM_PROFILES[profile];
    const wanted = { content: forms.push, forms, locale: 'ar', now: START } as const;
    const web = idTokenClaims(personOf(id), forms, 'ar', START);
    const claims = { ...web, ...pushClaims(personOf(id), wanted) };
    const number = Number(personOf(id).nationalId);
    return Object.keys(claims).filter((claim) => claims[claim] === number);
  };
  expect(numbersIn('reported', 'amal')).toEqual([]);
  expect(numbersIn('push-number', 'amal')).toEqual(['PersonId']);
  expect(numbersIn('push-thin-number', 'amal')).toEqual(['PersonId']);
  expect(numbersIn('push-numbers', 'siobhan')).toEqual(['iqamaNumber', 'PersonId']);
  expect(idTokenClaims(personOf('lukas'), CLAIM_PROFILES['web-number'], 'ar', START)).toMatchObject(
    { visaNumber: 3000009901, sub: '3000009901', userid: '3000009901' },
  );
});

const WHOLE = { content: 'whole', forms: REPORTED_FORMS, locale: 'ar', now: START } as const;

describe('the claims of an approved push', () => {
  const last = ['gender', 'nationality', 'sub', 'PersonId', 'nationalityCode'];
  const born = ['dateOfBirthG', 'dateOfBirthH'];
  const visitorBorn = ['birthgDate', 'birthhDate'];
  const social = ['socialStatusCode', 'socialStatusDesc', 'nationalAddress'];
  const translated = ['First', 'Second', 'Third', 'Last'].map((part) => `translated${part}Name`);
  const resident = ['firstName', 'secondName', 'thirdName', 'lastName'];
  const iqama = 'VersionNumber IssueDateG IssueDateH IssuePlaceCode IssuePlaceDesc'
    .split(' ')
    .concat(['ExpiryDateG', 'ExpiryDateH']);

  it.each([
    ['amal', ['nin', ...CITIZEN], ['idExpiryDateG', 'idExpiryDate', 'idVersionNumber']],
    [
      'siobhan',
      ['iqamaNumber', ...resident],
      ['nationalityDesc', ...iqama.map((part) => `iqama${part}`)],
    ],
    ['lukas', ['visaNumber', ...resident, ...translated], ['visaExpiryDate']],
    ['hanae', ['borderNumber', ...resident, ...translated], ['visaExpiryDate']],
  ])('of %s are by the document', (id, names, document) => {
    const person = personOf(id);
    const usual =
      person.nationality.code === 'SA' ? last : last.filter((one) => one !== 'nationality');
    expect(Object.keys(pushClaims(person, WHOLE))).toEqual([
      ...names,
      ...ENGLISH,
      ...usual,
      ...(document[0] === 'visaExpiryDate' ? visitorBorn : born),
      'isMinor',
      ...document,
      ...social,
    ]);
  });

  it('have all numbers as text, the gender as a letter, and days before months', () => {
    expect(pushClaims(personOf('amal'), { ...WHOLE, locale: 'en' })).toMatchObject({
      nin: AMAL,
      sub: AMAL,
      PersonId: AMAL,
      firstName: 'أمل',
      familyName: 'النموذجي',
      englishFirstName: 'Amal',
      englishLastName: 'Alnamuthaji',
      gender: 'F',
      nationality: 'SAU',
      nationalityCode: '113',
      dateOfBirthG: '12-04-1990',
      dateOfBirthH: '16-09-1410',
      isMinor: false,
      idExpiryDateG: '31-12-2030',
      idExpiryDate: '06-09-1452',
    });
  });

  it('have an address with the names of its places in both languages', () => {
    const [address] = pushClaims(personOf('amal'), WHOLE)['nationalAddress'] as readonly object[];
    expect(Object.keys(address ?? {}).toSorted()).toEqual([
      'additionalNumber',
      'buildingNumber',
      'city',
      'cityL2',
      'districtName',
      'districtNameL2',
      'isPrimaryAddress',
      'locationCoordinates',
      'postCode',
      'regionName',
      'regionNameL2',
      'shortAddress',
      'streetL2',
      'streetName',
      'unitNumber',
    ]);
  });

  it('say who is not of age, until the birthday', () => {
    const minor = BUILT_IN_PEOPLE.all.find(({ about }) => about === 'Citizen, minor');
    const [year = '', month, day] = (minor?.birthDate ?? '').split('-');
    const birthday = Date.parse(`${Number(year) + 18}-${month}-${day}T00:00:00Z`);
    const isMinorAt = (now: number) => minor && pushClaims(minor, { ...WHOLE, now })['isMinor'];
    expect([isMinorAt(START), isMinorAt(birthday - 1), isMinorAt(birthday)]).toEqual([
      true,
      true,
      false,
    ]);
  });

  it('are three where the service gets no more, and none of a rejection', () => {
    const thin = { sub: AMAL, PersonId: AMAL, nationalityCode: '113' };
    expect(pushClaims(personOf('amal'), { ...WHOLE, content: 'thin' })).toEqual(thin);
    expect(pushClaims(personOf('amal'), { ...WHOLE, content: 'nobody' })).toEqual({});
  });
});

describe('the registered claims', () => {
  const audience = 'https://rp.test';
  const wanted = {
    kind: 'web',
    issuer: 'https://i.test',
    audience,
    tokenId: 'an-id',
    now: START,
  } as const;
  const second = Math.floor(START / 1000);

  it('give it 150 s, and as much to slow clocks', () => {
    expect(planToken(wanted, { a: 1 }, null)).toEqual({
      signature: 'good',
      claims: {
        iss: 'https://i.test',
        aud: audience,
        iat: second,
        exp: second + 150,
        nbf: second - 150,
        jti: 'an-id',
        a: 1,
      },
    });
  });

  it('of a push are good from the second of their issue', () => {
    expect(planToken({ ...wanted, kind: 'push' }, {}, null).claims).toMatchObject({
      aud: audience,
      iat: second,
      exp: second + 150,
      nbf: second,
    });
  });

  it.each([
    ['unknown_key', { signature: 'unknown_key', claims: { aud: audience } }],
    ['alg_none', { signature: 'none', claims: { aud: audience } }],
    [
      'wrong_audience',
      { signature: 'good', claims: { aud: 'https://somebody-else.example.test' } },
    ],
    ['expired', { signature: 'good', claims: { exp: second - 150 } }],
    ['other_person', { signature: 'good', claims: { aud: audience } }],
  ] as const)('are damaged by %s in one way', (flaw, damaged) => {
    expect(planToken(wanted, {}, flaw)).toMatchObject(damaged);
  });
});
