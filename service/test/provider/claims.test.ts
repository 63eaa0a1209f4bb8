import { describe, expect, it } from 'vitest';
import type { Person } from '../../src/domain/user.ts';
import { toPerson } from '../../src/provider/claims/claims.ts';
import { REPORTED_PROFILE } from '../../src/provider/provider-config.ts';
import { ISSUER } from './support/provider-under-test.ts';
import { asJson, type Changes } from './support/token-forge.ts';

const { nationalities } = REPORTED_PROFILE;

function read(claims: Changes, flow: 'oidc' | 'mfa' = 'mfa'): Person {
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

  it('a document of each kind with the same digits is another person', () => {
    const number = '2000006601';
    const people = ['nin', 'iqamaNumber', 'visaNumber', 'borderNumber'].map((claim) =>
      read({ ...CITIZEN, nin: undefined, [claim]: number }),
    );
    expect(new Set(people.map((person) => person.documentType)).size).toBe(4);
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
    ['as a number', { nin: 1000002201 }],
    ['that begins with 0', { nin: '0000002201' }],
    ['in other digits', { nin: '١٠٠٠٠٠٢٢٠١' }],
    ['without a type, of a visitor', { nin: undefined, nationalId: '3000009901' }],
  ])('%s', (_, changes) => {
    expect(() => read({ ...CITIZEN, ...changes })).toThrow('token refused');
  });
});

describe('names', () => {
  it.each([
    ['blanks put together', { englishFirstName: '  Faisal \u00a0 Omar\t' }, 'Faisal Omar'],
    ['what cannot be seen left out', { englishFirstName: '\u202eFai\u200bsal\u0000' }, 'Faisal'],
    ['one word', { englishFirstName: 'Kusuma' }, 'Kusuma'],
    ['parts that are null', { englishFirstName: 'Faisal', englishLastName: null }, 'Faisal'],
  ])('%s', (_, english, name) => {
    const none = { englishSecondName: '', englishThirdName: '', englishLastName: '' };
    expect(read({ ...CITIZEN, ...none, ...english }).englishName).toBe(name);
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

  it.each([undefined, null, '', 'X', 1, ['M']])('gender %j is refused', (gender) => {
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
