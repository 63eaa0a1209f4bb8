import { describe, expect, it } from 'vitest';
import { NATIONAL_ID_PATTERN, typedDigits } from './typed-digits.ts';

const ASCII = '1000001101';
/** How people and their devices write that number. */
const WRITTEN = [
  ASCII,
  '\u0661\u0660\u0660\u0660\u0660\u0660\u0661\u0661\u0660\u0661',
  '\u06f1\u06f0\u06f0\u06f0\u06f0\u06f0\u06f1\u06f1\u06f0\u06f1',
  '\uff11\uff10\uff10\uff10\uff10\uff10\uff11\uff11\uff10\uff11',
  '1\u0660\u06f0\uff100\u06601101',
  '  1000001101 ',
  '1000 001 101',
  '1000\u00a0001\u202f101',
  '1000-001-101',
  '1000 - 001 - 101',
  '1000\u2010001\u2011101',
  '1000\u2013001\u2212101',
  '\ufeff1000001101',
  '\u200f1000001101\u200e',
  '\u202b1000001101\u202c',
  '\u20671000001101\u2069',
  '1\u200b0\u200c0\u200d0\u2060001101',
  '\u061c1000001101',
];

describe('a number that somebody typed or pasted', () => {
  it.each(WRITTEN)('%j is 1000001101', (typed) => {
    expect(typedDigits(typed)).toBe(ASCII);
    expect(typed).toMatch(new RegExp(NATIONAL_ID_PATTERN, 'u'));
  });

  it.each([
    '',
    ' ',
    '-',
    '-1000001101',
    '\u202e1011000001',
    '\u202d1000001101\u202c',
    '1000001101-',
    '1000--001101',
    '1000 -- 001101',
    '1000.001.101',
    '1000,001,101',
    '1000/001/101',
    '+1000001101',
    '1000001101\n',
    '1000\t001101',
    '1000\u0000001101',
    '\u0967000001101',
    '\u00b2000001101',
    '\u2460000001101',
    '\ud835\udfcf000001101',
    'O000001101',
    '1e9',
    '0x1000001101',
  ])('%j is none', (typed) => {
    expect(typedDigits(typed)).toBeNull();
    expect(typed).not.toMatch(new RegExp(NATIONAL_ID_PATTERN, 'u'));
  });

  it('keeps zeros in front, which the number to match can have', () => {
    expect(typedDigits('\u0660\u0667')).toBe('07');
  });

  it('is read in a time that grows with its length alone', () => {
    const long = `1${' -'.repeat(50_000)}x`;
    expect(typedDigits(long)).toBeNull();
    expect(typedDigits(`${'1 - '.repeat(50_000)}1`)).toHaveLength(50_001);
  });
});

it.each(['0000001101', '\u0660000001101', '100000110', '10000011011', '1000-0011-0'])(
  '%j is no national id',
  (typed) => expect(typed).not.toMatch(new RegExp(NATIONAL_ID_PATTERN, 'u')),
);
