import { describe, expect, it } from 'vitest';
import type { ReportedPerson } from '../../src/account/user.ts';
import { toPerson } from '../../src/provider/claims/claims.ts';
import { REPORTED_PROFILE } from '../../src/provider/provider-config.ts';
import { ISSUER } from '../support/provider/provider-under-test.ts';
import { asJson, type Changes } from '../support/provider/token-forge.ts';

const { nationalities } = REPORTED_PROFILE;

function read(claims: Changes, flow: 'oidc' | 'mfa' = 'mfa'): ReportedPerson {
  return toPerson(asJson(claims), { flow, issuer: ISSUER, nationalities });
}

const CITIZEN = {
  nin: '1000002201',
  firstName: 'فيصل',
  fatherName: 'عمر',
  grandFatherName: 'خالد',
  familyName: 'التجريبي',
  englishFirstName: 'Faisal',
  englishSecondName: 'Omar',
  englishThirdName: 'Khalid',
  englishLastName: 'Altajribi',
  gender: 'M',
  nationality: 'Saudi',
  nationalityCode: 113,
};

/** The claims of a token without names. */
const BARE = { sub: '1000002201', PersonId: '1000002201' };
const THIN = { ...BARE, nationalityCode: '113' };

const RESIDENT = {
  iqamaNumber: '2000006601',
  firstName: 'شيفون',
  secondName: 'مويرا',
  thirdName: '-',
  lastName: 'أوسبيسيمن',
  englishFirstName: 'Siobhán',
  englishSecondName: 'Máire',
  englishThirdName: '-',
  englishLastName: "O'Specimen",
  gender: 'F',
  nationalityCode: 901,
};

const VISITOR = {
  visaNumber: '3000009901',
  translatedFirstName: 'لوكاس',
  translatedLastName: 'موستر',
  englishFirstName: 'Lukas',
  englishLastName: 'Muster',
  gender: 'M',
  nationalityCode: 902,
};

const REDIRECT = {
  sub: '1000001101',
  userid: '7',
  arabicName: 'أمل سالم ناصر النموذجي',
  englishName: 'Amal Salem Nasser Alnamuthaji',
  arabicFirstName: 'أمل',
  englishFirstName: 'Amal',
  nationality: 'السعودية',
  nationalityCode: '113',
  gender: 'Female',
  lang: 'ar',
  assurance_level: '',
};

describe('a person by document', () => {
  it('citizen, phone flow', () => {
    expect(read(CITIZEN)).toEqual({
      issuer: ISSUER,
      documentType: 'nin',
      documentNumber: '1000002201',
      nationalId: '1000002201',
      arabicName: 'فيصل عمر خالد التجريبي',
      englishName: 'Faisal Omar Khalid Altajribi',
      email: null,
      nationality: 'SA',
      gender: 'M',
      assuranceLevel: 0,
    });
  });

  it('resident, with a part of the name that is none', () => {
    expect(read(RESIDENT)).toMatchObject({
      documentType: 'iqama',
      nationalId: '2000006601',
      arabicName: 'شيفون مويرا أوسبيسيمن',
      englishName: "Siobhán Máire O'Specimen",
      nationality: 'XX',
      gender: 'F',
    });
  });

  it.each([
    ['visa', VISITOR, '3000009901'],
    ['border', { ...VISITOR, visaNumber: '', borderNumber: '4000011001' }, '4000011001'],
  ])('visitor with a %s number', (documentType, claims, documentNumber) => {
    expect(read(claims)).toMatchObject({
      documentType,
      documentNumber,
      arabicName: 'لوكاس موستر',
      englishName: 'Lukas Muster',
    });
  });

  it('citizen, redirect flow, by the subject alone', () => {
    expect(read(REDIRECT, 'oidc')).toMatchObject({
      documentType: 'nin',
      documentNumber: '1000001101',
      arabicName: 'أمل سالم ناصر النموذجي',
      englishName: 'Amal Salem Nasser Alnamuthaji',
      nationality: 'SA',
      gender: 'F',
      assuranceLevel: 0,
    });
  });

  it('resident, redirect flow, by nationalId', () => {
    const claims = { ...REDIRECT, sub: 'opaque', nationalId: '2000006601' };
    expect(read(claims, 'oidc')).toMatchObject({
      documentType: 'iqama',
      documentNumber: '2000006601',
    });
  });

  it('the same digits on two documents of a visitor are two people', () => {
    const people = ['visaNumber', 'borderNumber'].map((claim) =>
      read({ ...CITIZEN, nin: undefined, [claim]: '3000009901' }),
    );
    expect(people.map((person) => person.documentType)).toEqual(['visa', 'border']);
  });

  it('the number may stand there more than once', () => {
    const number = CITIZEN.nin;
    const claims = { ...CITIZEN, sub: number, PersonId: number, nationalId: number };
    expect(read(claims).documentNumber).toBe(number);
    expect(read({ ...CITIZEN, sub: 'u-81f2', PersonId: 'p-7' }).documentNumber).toBe(number);
  });
});

describe('a day of birth', () => {
  it.each([
    ['of a push', { dateOfBirthG: '12-04-1990', dateOfBirthH: '16-09-1410' }, '1990-04-12'],
    ['of a visitor', { birthgDate: '29-02-1988', birthhDate: '12-07-1408' }, '1988-02-29'],
    ['in words', { dob: 'Thu Apr 12 00:00:00 AST 1990', dobHijri: '1410/09/16' }, '1990-04-12'],
    [
      'said twice',
      { dateOfBirthG: '12-04-1990', dob: 'Thu Apr 12 00:00:00 AST 1990' },
      '1990-04-12',
    ],
    [
      'beside an empty one',
      { dateOfBirthG: ' 01-01-1931 ', birthgDate: '  ', dob: null },
      '1931-01-01',
    ],
  ])('%s is read', (_, claims, birthDate) => {
    expect(read({ ...CITIZEN, ...claims })).toMatchObject({ birthDate });
  });

  it.each([
    ['in no claim', {}],
    ['of the Hijri calendar alone', { dateOfBirthH: '16-09-1410', dobHijri: '1410/09/16' }],
    ['with a Hijri year', { dateOfBirthG: '16-09-1410' }],
    ['in words with a Hijri year', { dob: 'Fri Sep 16 00:00:00 AST 1410' }],
    ['of an object', { dateOfBirthG: { toString: 1, valueOf: 1 } }],
    ['of no month', { dateOfBirthG: '12-13-1990' }],
    ['of no day', { dateOfBirthG: '32-12-1990' }],
    ['of a February without it', { dateOfBirthG: '29-02-1900' }],
    ['with the year first', { dateOfBirthG: '1990-04-12' }],
    ['with one digit', { dateOfBirthG: '2-4-1990' }],
    ['in other digits', { dateOfBirthG: '١٢-٠٤-١٩٩٠' }],
    ['as a number', { dateOfBirthG: 12_041_990 }],
    ['as two days', { dateOfBirthG: '12-04-1990', dob: 'Fri Apr 13 00:00:00 AST 1990' }],
    ['beside one that is none', { dateOfBirthG: '12-04-1990', dob: 'unknown' }],
    ['on another weekday', { dob: 'Mon Apr 12 00:00:00 AST 1990' }],
    ['in a month of no name', { dob: 'Thu Abr 12 00:00:00 AST 1990' }],
    ['at an hour of which the day depends on the place', { dob: 'Wed Apr 11 21:00:00 UTC 1990' }],
  ])('%s is none, and refuses nobody', (_, claims) => {
    const person = read({ ...CITIZEN, ...claims });
    expect(person).toMatchObject({ nationalId: '1000002201' });
    expect(person).not.toHaveProperty('birthDate');
  });
});

describe('an identifier may be a number', () => {
  it.each([
    ['nin', { ...CITIZEN, nin: 1000002201 }, 'nin', '1000002201'],
    ['iqamaNumber', { ...RESIDENT, iqamaNumber: 2000006601 }, 'iqama', '2000006601'],
    ['visaNumber', { ...VISITOR, visaNumber: 3000009901 }, 'visa', '3000009901'],
    [
      'borderNumber',
      { ...VISITOR, visaNumber: undefined, borderNumber: 4000011001 },
      'border',
      '4000011001',
    ],
    ['nationalId', { ...CITIZEN, nin: undefined, nationalId: 1000002201 }, 'nin', '1000002201'],
    ['PersonId, without names', { ...THIN, PersonId: 1000002201 }, 'nin', '1000002201'],
    ['nin beside a text', { ...CITIZEN, ...BARE, nin: 1000002201 }, 'nin', '1000002201'],
  ])('in %s', (_, claims, documentType, documentNumber) => {
    expect(read(claims)).toMatchObject({ documentType, documentNumber });
  });

  it('PersonId may be another kind of number, which says nothing', () => {
    expect(read({ ...CITIZEN, PersonId: 81_204 }).documentNumber).toBe('1000002201');
  });
});

describe('an identifier is refused', () => {
  it.each([
    ['missing', { nin: undefined }],
    ['only as userid', { nin: undefined, userid: '1000002201' }],
    ['only as sub, in the phone flow', { nin: undefined, sub: '1000002201' }],
    ['twice', { iqamaNumber: '2000006601' }],
    ['against nationalId', { nationalId: '1000003301' }],
    ['against sub', { sub: '1000003301' }],
    ['against PersonId', { PersonId: '1000003301' }],
    ['of a citizen that is a resident’s', { nin: '2000006601' }],
    ['of a citizen that is a visitor’s', { nin: '3000009901' }],
    ['of a resident that is a citizen’s', { nin: undefined, iqamaNumber: '1000002201' }],
    ['of a visitor that is a citizen’s', { nin: undefined, visaNumber: '1000002201' }],
    ['of a border that is a resident’s', { nin: undefined, borderNumber: '2000006601' }],
    ['only as sub and PersonId, beside a name', { ...BARE, nin: undefined }],
    ['as a number with a fraction', { nin: 1000002201.5 }],
    ['as a number of nine digits', { nin: 100000220 }],
    ['as a number of eleven digits', { nin: 10000022011 }],
    ['as a number below zero', { nin: -1000002201 }],
    ['as a number of another person than the sub', { nin: 1000002201, sub: '1000003301' }],
    ['as a number against PersonId', { PersonId: 1000003301 }],
    ['against PersonId in Arabic digits', { PersonId: '١٠٠٠٠٠٣٣٠١' }],
    ['against sub in groups', { sub: '1000-003-301' }],
    ['as a number against nationalId', { nationalId: 1000003301 }],
    ['as two numbers', { nin: 1000002201, iqamaNumber: 2000006601 }],
    ['as true', { nin: true }],
    ['that begins with 0', { nin: '0000002201' }],
    ['in other digits', { nin: '١٠٠٠٠٠٢٢٠١' }],
    ['without a type, of a visitor', { nin: undefined, nationalId: '3000009901' }],
  ])('%s', (_, changes) => {
    expect(() => read({ ...CITIZEN, ...changes })).toThrow('token refused');
  });
});

describe('a token without names', () => {
  it('is enough in the phone flow where sub and PersonId are one number', () => {
    expect(read(THIN)).toEqual({
      issuer: ISSUER,
      documentType: 'nin',
      documentNumber: '1000002201',
      nationalId: '1000002201',
      arabicName: '',
      englishName: '',
      email: null,
      nationality: 'SA',
      gender: 'X',
      assuranceLevel: 0,
    });
    const resident = { sub: '2000006601', PersonId: '2000006601', nationalityCode: '207' };
    expect(read(resident)).toMatchObject({ documentType: 'iqama', nationality: 'XX' });
  });

  it('may name the document as well', () => {
    expect(read({ ...THIN, nin: '1000002201' }).documentType).toBe('nin');
  });

  it.each([
    ['no PersonId', { PersonId: undefined }],
    ['no sub', { sub: undefined }],
    ['two numbers', { PersonId: '1000003301' }],
    ['numbers that are none', { sub: 7, PersonId: 7 }],
    ['opaque names', { sub: 'u-1', PersonId: 'u-1' }],
    ['the number of a visitor', { sub: '3000009901', PersonId: '3000009901' }],
    ['a number of no known document', { sub: '9000009901', PersonId: '9000009901' }],
    [
      'a visitor’s document',
      { sub: '3000009901', PersonId: '3000009901', visaNumber: '3000009901' },
    ],
    ['another document’s number', { nin: '1000003301' }],
    ['another register', { iqamaNumber: '1000002201' }],
    ['two documents', { nin: '1000002201', iqamaNumber: '2000006601' }],
    ['another nationalId', { nationalId: '1000003301' }],
    ['a level of assurance that is none', { assurance_level: 'high' }],
  ])('is refused with %s', (_, changes) => {
    expect(() => read({ ...THIN, ...changes })).toThrow('token refused');
  });

  it('is refused in the redirect flow', () => {
    expect(() => read({ ...THIN, nin: '1000002201', gender: 'Male' }, 'oidc')).toThrow('no name');
  });
});

describe('the forms of a name in the redirect flow', () => {
  const person = { nin: '1000002201', gender: 'Male', nationalityCode: '113' };
  const arabicName = 'فيصل عمر خالد التجريبي';
  const englishName = 'Faisal Omar Khalid Altajribi';
  const pushNames = Object.fromEntries(
    Object.entries(CITIZEN).filter(([claim]) => claim.endsWith('Name')),
  );

  it.each([
    ['whole', { arabicName, englishName }],
    ['whole and in parts', { arabicName, englishName, arabicFirstName: 'فيصل' }],
    [
      'whole, in capitals beside its parts',
      { arabicName, englishName, englishFirstName: 'FAISAL' },
    ],
    ['as in a push', pushNames],
    ['short', { name_ar: arabicName, name_en: englishName }],
    ['twice the same', { arabicName, name_ar: ` ${arabicName} `, englishName }],
    ['short beside the names of a push', { name_ar: arabicName, ...pushNames }],
  ])('%s', (_, names) => {
    const found = read({ ...person, ...names }, 'oidc');
    expect(found.arabicName).toBe(arabicName);
    if ('englishName' in names || 'name_en' in names) expect(found.englishName).toBe(englishName);
  });

  it.each([
    ['two whole names', { arabicName, name_ar: 'سعد عمر' }],
    ['two whole English names', { englishName, name_en: 'Saad Omar' }],
    ['a first name of somebody else', { arabicName, arabicFirstName: 'سعد' }],
    ['a first name that is only the beginning', { englishName, englishFirstName: 'Fai' }],
    ['two first names', { arabicFirstName: 'سعد', firstName: 'فيصل' }],
    ['the first name of a push for somebody else', { arabicName, firstName: 'سعد' }],
  ])('refused: %s', (_, names) => {
    expect(() => read({ ...person, ...names }, 'oidc')).toThrow('two names');
  });
});

describe('names', () => {
  it.each([
    ['blanks put together', { englishFirstName: '  Faisal \u00a0 Omar\t' }, 'Faisal Omar'],
    [
      'blanks around what cannot be seen',
      { englishFirstName: 'Faisal \u200e Omar' },
      'Faisal Omar',
    ],
    ['what cannot be seen left out', { englishFirstName: '\u202eFai\u200bsal\u0001' }, 'Faisal'],
    ['one word', { englishFirstName: 'Kusuma' }, 'Kusuma'],
    ['parts that are null', { englishFirstName: 'Faisal', englishLastName: null }, 'Faisal'],
  ])('%s', (_, english, name) => {
    const none = { englishSecondName: '', englishThirdName: '', englishLastName: '' };
    expect(read({ ...CITIZEN, ...none, ...english }).englishName).toBe(name);
  });

  it.each([
    ['in Arabic', {}, 'لوكاس', 'Lukas Muster'],
    ['in English', { translatedFirstName: 'Luke' }, 'Lukas Muster', 'Lukas Muster'],
    [
      'in English beside an Arabic name',
      {
        firstName: 'لوكاس',
        lastName: 'موستر',
        translatedFirstName: 'Lukas',
        translatedSecondName: 'Jan',
        translatedLastName: 'Muster',
        englishFirstName: undefined,
        englishLastName: undefined,
      },
      'لوكاس موستر',
      'Lukas Jan Muster',
    ],
    [
      'in Arabic beside an Arabic name',
      { firstName: 'لوكاس', lastName: 'موستر', translatedFirstName: 'لوقا' },
      'لوكاس موستر',
      'Lukas Muster',
    ],
  ])('a translated one, %s', (_, changes, arabicName, englishName) => {
    const claims = { ...VISITOR, translatedLastName: '', ...changes };
    expect(read(claims)).toMatchObject({ arabicName, englishName });
  });

  it('stand in for each other where one language has none', () => {
    const { visaNumber, gender } = VISITOR;
    expect(read({ visaNumber, gender, englishFirstName: 'Lukas' }).arabicName).toBe('Lukas');
    expect(read({ visaNumber, gender, translatedFirstName: 'لوكاس' }).englishName).toBe('لوكاس');
  });

  it.each([
    ['none at all', {}],
    ['no text', { englishFirstName: 7 }],
    ['longer than any', { englishFirstName: 'a'.repeat(401) }],
  ])('refused: %s', (_, name) => {
    expect(() => read({ nin: '1000002201', gender: 'M', ...name })).toThrow('token refused');
  });
});

describe('the other attributes', () => {
  it.each([
    ['M', 'M'],
    ['Male', 'M'],
    ['MALE ', 'M'],
    ['ذكر', 'M'],
    ['F', 'F'],
    ['Female', 'F'],
    ['أنثى', 'F'],
  ])('gender %s is %s', (gender, expected) => {
    expect(read({ ...CITIZEN, gender }).gender).toBe(expected);
  });

  it.each([undefined, null, ''])('gender %j says nothing, in either flow', (gender) => {
    expect(read({ ...CITIZEN, gender }).gender).toBe('X');
    expect(read({ ...REDIRECT, gender }, 'oidc').gender).toBe('X');
  });

  it.each(['X', 1, ['M']])('gender %j is refused', (gender) => {
    expect(() => read({ ...CITIZEN, gender })).toThrow('gender');
  });

  it.each([
    [113, 'SA'],
    ['113', 'SA'],
    [999, 'XX'],
    ['Saudi', 'XX'],
    ['113; drop', 'XX'],
    [-113, 'XX'],
    [1.13, 'XX'],
    [null, 'XX'],
    [undefined, 'XX'],
  ])('nationality code %j is %s', (nationalityCode, expected) => {
    expect(read({ ...CITIZEN, nationality: undefined, nationalityCode }).nationality).toBe(
      expected,
    );
  });

  it.each([
    ['SAU', '113', 'SA'],
    ['SAU', undefined, 'SA'],
    ['EGY', '207', 'XX'],
    ['EGY', undefined, 'XX'],
    ['المملكة', '113', 'SA'],
  ])('nationality %s with code %s is %s', (nationality, nationalityCode, expected) => {
    expect(read({ ...CITIZEN, nationality, nationalityCode }).nationality).toBe(expected);
  });

  it.each([
    ['SAU', '207'],
    ['EGY', '113'],
  ])('nationality %s contradicts code %s', (nationality, nationalityCode) => {
    expect(() => read({ ...CITIZEN, nationality, nationalityCode })).toThrow('two nationalities');
  });

  it('nationality holds the code where nothing else does', () => {
    expect(read({ ...CITIZEN, nationality: 113, nationalityCode: undefined }).nationality).toBe(
      'SA',
    );
  });

  it.each([
    [{}, 0],
    [{ assurance_level: '' }, 0],
    [{ assurance_level: null }, 0],
    [{ assurance_level: '2' }, 2],
    [{ assurance_level: 3 }, 3],
    [{ acr: '1' }, 1],
    [{ assurance_level: '3', acr: '1' }, 1],
  ])('of %j the level is %i', (changes, level) => {
    expect(read({ ...CITIZEN, ...changes }).assuranceLevel).toBe(level);
  });

  it.each(['high', '-1', '1.5', '100', -1, 1.5, true, ['3']])(
    'level %j is refused',
    (assurance_level) => {
      expect(() => read({ ...CITIZEN, assurance_level })).toThrow('assurance level');
    },
  );

  it.each([
    ['amal@example.test', 'amal@example.test'],
    ['not an address', null],
    ['a@b\r\nc', null],
    [7, null],
  ])('e-mail %j is %j', (email, expected) => {
    expect(read({ ...CITIZEN, email }).email).toBe(expected);
  });
});
