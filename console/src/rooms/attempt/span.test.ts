import { expect, it } from 'vitest';
import { offsetText, spanText } from './span.ts';

const UNITS = { milliseconds: 'ms', seconds: 's' };

it.each([
  [0, '0 ms'],
  [12.4, '12 ms'],
  [999, '999 ms'],
  [1284, '1.284 s'],
  [59_999, '59.999 s'],
  [60_000, '1:00.0'],
  [125_149, '2:05.1'],
  [3_599_990, '60:00.0'],
])('%d ms are %s', (milliseconds, text) => {
  expect(spanText(milliseconds, UNITS)).toBe(text);
});

it.each([
  [0, '+0.000 s'],
  [7, '+0.007 s'],
  [-1500, '-1.500 s'],
  [300_000, '+5:00.0'],
])('%d ms after the beginning are %s', (milliseconds, text) => {
  expect(offsetText(milliseconds, UNITS)).toBe(`\u200e${text}`);
});
