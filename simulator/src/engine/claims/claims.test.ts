import { describe, expect, it } from 'vitest';
import { START } from '../../../test/support/fakes.ts';
import { BUILT_IN_PEOPLE } from '../built-in-people.ts';
import type { Person } from '../person.ts';
import { idTokenClaims } from './id-token.ts';
import { personClaims } from './push-token.ts';
import { planToken } from './token-plan.ts';

function personOf(id: string): Person {
  const person = BUILT_IN_PEOPLE.all.find((each) => each.id === id);
  if (person === undefined) throw new Error(`no ${id} in the cast`);
  return person;
}

describe('the claims of a sign-in by browser', () => {
  it('are these for a citizen', () => {
    expect(idTokenClaims(personOf('amal'), 'ar', START)).toEqual({
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
    const claims = idTokenClaims(person, 'en', START);
    expect(Object.keys(claims).filter((name) => IDENTIFIERS.has(name))).toEqual([claim]);
    expect(claims[claim]).toBe(person.nationalId);
    expect(claims[expiry]).toBe('Tue Dec 31 00:00:00 AST 2030');
  });

  it('follow the page in their language, and leave empty what a name does not have', () => {
    expect(idTokenClaims(personOf('kusuma'), 'en', START)).toMatchObject({
      lang: 'en',
      arabicFatherName: '',
      englishFirstName: 'Kusuma',
      englishFamilyName: '',
    });
    expect(idTokenClaims(personOf('amal'), 'en', START)['nationality']).toBe('Saudi Arabia');
  });
});

const IDENTIFIERS = new Set(['nin', 'iqamaNumber', 'visaNumber', 'borderNumber']);

describe('the claims of an approved push', () => {
  const common = ['englishFirstName', 'englishSecondName', 'englishThirdName', 'englishLastName'];
  const last = ['gender', 'nationality', 'nationalityCode', 'dateOfBirthG', 'dateOfBirthH'];
  const translated = ['First', 'Second', 'Third', 'Last'].map((part) => `translated${part}Name`);
  const resident = ['firstName', 'secondName', 'thirdName', 'lastName'];

  it.each([
    ['amal', ['nin', 'firstName', 'fatherName', 'grandFatherName', 'familyName']],
    ['siobhan', ['iqamaNumber', ...resident]],
    ['lukas', ['visaNumber', ...translated]],
    ['hanae', ['borderNumber', ...translated]],
  ])('of %s begin with %o', (id, names) => {
    expect(Object.keys(personClaims(personOf(id), 'ar'))).toEqual([...names, ...common, ...last]);
  });

  it('have the country as a number and the gender as a letter', () => {
    expect(personClaims(personOf('amal'), 'en')).toMatchObject({
      nin: '1000001101',
      firstName: 'أمل',
      familyName: 'النموذجي',
      englishFirstName: 'Amal',
      englishLastName: 'Alnamuthaji',
      gender: 'F',
      nationality: 'Saudi Arabia',
      nationalityCode: 113,
      dateOfBirthG: '1990-04-12',
      dateOfBirthH: '1410-09-16',
    });
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
  ] as const)('are spoilt by %s in one way', (flaw, spoilt) => {
    expect(planToken(wanted, {}, flaw)).toMatchObject(spoilt);
  });
});
