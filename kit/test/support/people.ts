/** A person whom the tests add to an instance. */
export const LAYLA = {
  id: 'layla',
  about: 'A person of this test',
  nationalId: '1000012201',
  documentType: 'nin',
  arabicName: { full: 'ليلى تجربة', first: 'ليلى', second: null, third: null, last: 'تجربة' },
  englishName: {
    full: 'Layla Tajriba',
    first: 'Layla',
    second: null,
    third: null,
    last: 'Tajriba',
  },
  gender: 'F',
  nationality: { code: 'SA', number: 113 },
  birthDate: '1990-02-03',
  email: 'layla@people.example',
  assuranceLevel: 2,
  preferredLocale: 'en',
} as const;
