import { expect, it } from 'vitest';
import { visible } from './visible.ts';

it.each([
  ['أمل Amal <img onerror>', 'أمل Amal <img onerror>'],
  ['\u202egnp.exe', String.raw`\u202egnp.exe`],
  ['a\u200fb\u2066c\u2069', String.raw`a\u200fb\u2066c\u2069`],
  ['\ufeff\u0000\u009b\u2028', String.raw`\ufeff\u0000\u009b\u2028`],
  ['{\n\t"a": 1\r\n}', '{\n\t"a": 1\\u000d\n}'],
])('%j is shown as %s', (text, shown) => {
  expect(visible(text)).toBe(shown);
});
