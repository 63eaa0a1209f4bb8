import { typedDigits } from '@miftah/contract/typed-digits';
import type { NameRow, PersonRow } from '@miftah/contract/control';
import { textIn } from '../../parts/text-in.ts';

export const DOCUMENTS = ['nin', 'iqama', 'visa', 'border'] as const;
export const PARTS = ['first', 'second', 'third', 'last'] as const;

/** The person that a form without one begins with: what is the same for most. */
export const NOBODY: PersonRow = {
  id: '',
  default: false,
  about: '',
  national_id: '',
  document_type: 'nin',
  arabic_name: { full: '', first: '', second: null, third: null, last: null },
  english_name: { full: '', first: '', second: null, third: null, last: null },
  gender: 'F',
  nationality: { code: 'SA', number: 113 },
  birth_date: '1990-01-01',
  email: '',
  assurance_level: 3,
  preferred_locale: 'ar',
};

/** What the fields of the form say. */
export function personFrom(fields: FormData): PersonRow {
  const text = (name: string) => textIn(fields, name);
  return {
    id: text('id'),
    default: fields.get('default') !== null,
    about: text('about'),
    national_id: text('national_id'),
    document_type: text('document_type'),
    arabic_name: nameFrom(text, 'arabic_name'),
    english_name: nameFrom(text, 'english_name'),
    gender: text('gender'),
    nationality: { code: text('code'), number: numberIn(text('number')) },
    birth_date: text('birth_date'),
    email: text('email'),
    assurance_level: numberIn(text('assurance_level')),
    preferred_locale: text('preferred_locale'),
  };
}

const numberIn = (text: string) => Number(typedDigits(text) ?? Number.NaN);

function nameFrom(text: (name: string) => string, name: string): NameRow {
  const part = (one: string) => text(`${name}.${one}`) || null;
  const parts = PARTS.map(part);
  const [first = null, second = null, third = null, last = null] = parts;
  const full = parts.filter((one) => one !== null).join(' ');
  return { full, first: first ?? '', second, third, last };
}
