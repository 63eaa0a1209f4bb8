import { expect, test } from 'vitest';
import { faultsByField } from './field-faults.ts';

test('a fault stands at its field, the first of several', () => {
  const { fields, others } = faultsByField([
    { pointer: '/arabic_name/full', message: 'must not have fewer than 1 characters' },
    { pointer: '/arabic_name/first', message: 'second' },
    { pointer: '/english_name/third', message: 'third' },
    { pointer: '/nationality/code', message: 'fourth' },
    { pointer: '', message: 'must not have "x"' },
  ]);
  expect(Object.fromEntries(fields)).toEqual({
    'arabic_name.first': 'must not have fewer than 1 characters',
    'english_name.third': 'third',
    code: 'fourth',
  });
  expect(others).toEqual(['must not have "x"']);
});
