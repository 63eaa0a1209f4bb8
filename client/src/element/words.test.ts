import { expect, it } from 'vitest';
import { languageOf } from './words.ts';

it.each([
  ['ar', 'ar'],
  ['AR-sa', 'ar'],
  ['ar_SA', 'ar'],
  ['ar_SA.UTF-8', 'ar'],
  ['arz', 'en'],
  ['en-AR', 'en'],
  ['', 'en'],
])('the language of %s is %s', (tag, language) => {
  expect(languageOf(tag)).toBe(language);
});
