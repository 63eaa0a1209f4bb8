import { describe, expect, it } from 'vitest';
import { parseLocale, preferredLocale } from './locale.ts';

describe('a language tag', () => {
  it.each([
    ['ar', 'ar'],
    ['AR', 'ar'],
    ['ar-SA', 'ar'],
    ['ar-Arab-SA-x-private', 'ar'],
    ['en', 'en'],
    ['eN-gB', 'en'],
    ['en-GB-oxendict', 'en'],
    ['ar_SA', 'ar'],
    ['en_US_POSIX', 'en'],
    ['ar-Arab_SA', 'ar'],
    ['ar-SA-u-ca-islamic-umalqura-nu-arab', 'ar'],
    ['en-GB-u-ca-gregory-co-phonebk-hc-h23-nu-latn-t-ar-m0-true-x-one-two-three', 'en'],
  ])('%s means %s', (tag, locale) => expect(parseLocale(tag)).toBe(locale));

  it.each([
    '',
    'a',
    'arb',
    'eng',
    'fr',
    'ar-',
    'ar_',
    'ar-_SA',
    'arSA',
    'ar.SA',
    '-ar',
    'ar--SA',
    'ar-123456789',
    'ar\n',
    ' ar',
    'ar-é',
  ])('%j means nothing', (tag) => expect(parseLocale(tag)).toBeNull());
});

const before = (count: number) => `${'fr,'.repeat(count)}ar`;

describe('Accept-Language', () => {
  it.each([
    [undefined, null],
    ['', null],
    ['ar', 'ar'],
    ['en-US,en;q=0.9', 'en'],
    ['fr-CH, fr;q=0.9, ar;q=0.8, en;q=0.7, *;q=0.5', 'ar'],
    ['en;q=0.1, ar;q=0.2', 'ar'],
    ['en, ar', 'en'],
    ['en_US, ar', 'en'],
    ['en;Q=0.1, ar;q=0.2', 'ar'],
    ['ar-SA-u-ca-islamic-umalqura-nu-arab, en', 'ar'],
    ['ar;q=0, en;q=0.1', 'en'],
    ['ar;q=0', null],
    ['ar;q=x, en;q=0.1', 'en'],
    ['ar;q=Infinity, en', 'en'],
    ['ar;q=-1', null],
    ['de, fr', null],
    ['*', null],
    [' ar ; q=0.5 , en ; q=0.4', 'ar'],
    [',,,;;;,ar', 'ar'],
  ])('%j asks for %s', (header, locale) => expect(preferredLocale(header)).toBe(locale));

  it('is read no further than its tenth entry', () => {
    expect(preferredLocale(before(9))).toBe('ar');
    expect(preferredLocale(before(10))).toBeNull();
  });
});
