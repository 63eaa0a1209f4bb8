import { expect, it } from 'vitest';
import { isText, pathsOfNonText } from './text.ts';

it.each([
  '',
  'a',
  'أمل',
  '😀',
  '\u0001',
  '\ufeff',
  '\uffff',
  '\u{10ffff}',
  '\u202e',
  String.raw`\u0000`,
])('%j is text', (value) => expect(isText(value)).toBe(true));

it.each(['\0', 'a\0b', '\ud800', 'a\udfff', '\ude00\ud83d', '😀\ud83d'])('%j is none', (value) =>
  expect(isText(value)).toBe(false),
);

it('finds such strings in a value of JSON, but not in the names of its members', () => {
  const value = { a: '\0', b: ['x', { c: '\ud800' }], d: null, e: 1, '\0': 'f', g: { h: 'y' } };
  expect(pathsOfNonText(value)).toEqual([['a'], ['b', '1', 'c']]);
  expect(pathsOfNonText('\0')).toEqual([[]]);
});
