import { describe, expect, it } from 'vitest';
import { parseNationalId } from './national-id.ts';

describe('a national id', () => {
  it.each([
    ['1000001101', '1000001101'],
    ['9999999999', '9999999999'],
    ['١٠٠٠٠٠١١٠١', '1000001101'],
    ['۱۰۰۰۰۰۱۱۰۱', '1000001101'],
    ['١٢٣٤٥٦٧٨٩٠', '1234567890'],
    ['۹۸۷۶۵۴۳۲۱۰', '9876543210'],
    ['1٢۳4٥۶7٨۹0', '1234567890'],
  ])('%s is %s', (typed, digits) => expect(parseNationalId(typed)).toBe(digits));

  it.each([
    '',
    '0123456789',
    '٠١٢٣٤٥٦٧٨٩',
    '۰۱۲۳۴۵۶۷۸۹',
    '123456789',
    '12345678901',
    '१२३४५६७८९०',
    '１２３４５６７８９０',
    '1234567890 ',
    '1234567890\n',
    '\n1234567890',
    '12345\u200f67890',
    '12345-6789',
    '1234567.89',
    '²345678901',
  ])('%j is none', (typed) => expect(parseNationalId(typed)).toBeNull());
});
