import { assert, constantFrom, oneof, property, string } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyCharacter } from '../../../test/support/any-character.ts';
import {
  parseRefused,
  printable,
  printableClaim,
  printableTime,
  textOfRefused,
  TOKEN_CHECKS,
} from './refused-token.ts';
import { DAY_MS, MINUTE_MS } from '../values/time.ts';

const NOW = 1_800_000_000_000;

describe('what is shown of a claim', () => {
  it.each([
    ['an address', 'https://bank.example.test/', 'https://bank.example.test/'],
    ['nine digits', 'id-100000220', 'id-100000220'],
    ['ten digits', 'urn:1000002201:x', 'urn:[digits]:x'],
    ['eleven digits', '10000022011', '[digits]'],
    ['Arabic-Indic digits', '١٠٠٠٠٠٢٢٠١', '[digits]'],
    ['Persian digits', '۱۰۰۰۰۰۲۲۰۱', '[digits]'],
    ['full-width digits', '１０００００２２０１', '[digits]'],
    ['digits of two kinds', '10000٠٢٢٠١', '[digits]'],
    ['digits with blanks', '1000 002 201', '[digits]'],
    ['digits with hyphens', '1000-002-201', '[digits]'],
    ['digits with dashes and marks', '1000\u2013002\u200f\u2212201', '[digits]'],
    ['digits with line ends', '10000\r\n02201', '[digits]'],
    ['digits with dots', 'urn:1000.002.201', 'urn:[digits]'],
    ['digits with signs', '1/0:0;0+0*0(2)2#0=1', '[digits]'],
    [
      'digits with quotes and backslashes',
      String.raw`1000"0\\0'2\n201`,
      String.raw`1000\u{22}0\u{5c}\u{5c}0'2\u{5c}n201`,
    ],
    ['digits with many signs', `10000${'.'.repeat(100)}02201`, '[digits]'],
    ['digits with an emoji and marks', '10000\u{1f600}\u064e02201', '[digits]'],
    [
      'Devanagari digits',
      '\u0967\u0966\u0966\u0966\u0966\u0966\u0968\u0968\u0966\u0967',
      '[digits]',
    ],
    [
      'mathematical digits',
      String.fromCodePoint(...Array.from('1000002201', (one) => 0x1d7ce + Number(one))),
      '[digits]',
    ],
    ['digits with a letter', '10000a02201', '10000a02201'],
    ['a line end', 'a\r\nb', String.raw`a\u{d}\u{a}b`],
    ['a terminal code', '\u001B[2J', String.raw`\u{1b}[2J`],
    ['a character that reorders the line', 'a\u202Eb', String.raw`a\u{202e}b`],
    ['a letter that looks like another', 'https://b\u0430nk', String.raw`https://b\u{430}nk`],
    ['quotes', 'a" came "b', String.raw`a\u{22} came \u{22}b`],
    ['a backslash', String.raw`\u{22}`, String.raw`\u{5c}u{22}`],
    ['nothing', undefined, 'nothing'],
    ['null', null, 'null'],
    ['a number', 1_000_002_201, 'no text: number'],
    ['an object', { nin: '1000002201' }, 'no text: object'],
    ['a list', ['https://a', 'https://b'], '[https://a, https://b]'],
    ['a list with a number', [1_000_002_201], '[number]'],
    ['digits in two members', ['10000', '02201'], '[[digits]]'],
  ])('%s', (_, came, shown) => {
    expect(printableClaim(came)).toBe(shown);
  });

  it('is at most 200 characters of visible ASCII, and can be read back from its text', () => {
    const any = oneof(string({ unit: anyCharacter, maxLength: 400 }), string());
    assert(
      property(any, constantFrom(...TOKEN_CHECKS), (text, check) => {
        const shown = printable(text);
        expect(shown).toMatch(/^[\x20\x21\x23-\x7e]{0,200}$/);
        expect(shown).not.toMatch(/\d{10}/);
        const refused = { check, expected: shown, came: shown };
        expect(parseRefused(textOfRefused(refused))).toEqual(refused);
      }),
    );
  });

  it('a time that is near ours is told, and no other', () => {
    expect(printableTime(NOW - 10 * MINUTE_MS, NOW)).toBe('2027-01-15T07:50:00+00:00');
    expect(printableTime(NOW - DAY_MS - 1, NOW)).toBe('more than a day ago');
    expect(printableTime(1_000_002_201_000, NOW)).toBe('more than a day ago');
    expect(printableTime(NOW + DAY_MS + 1, NOW)).toBe('in more than a day');
    expect(printableTime(null, NOW)).toBe('no time');
  });
});

it.each([
  '',
  'aud',
  'sudo',
  'aud expected',
  'aud expected "a',
  'aud came "\u0430"',
  'aud  came "a"',
])('only what is written is read back: %s', (text) => {
  expect(parseRefused(text) === null).toBe(text !== 'aud');
});
