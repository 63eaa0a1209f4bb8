import { expect, it } from 'vitest';
import { meant, nearestOf } from './nearest.ts';

it.each([
  ['PORTT', 'PORT'],
  ['PROT', 'PORT'],
  ['PRT', 'PORT'],
  ['port', 'PORT'],
  ['PUBLIC-URL', 'PUBLIC_URL'],
  ['publicurl', 'PUBLIC_URL'],
  ['PUBILC_URLS', 'PUBLIC_URL'],
  ['PUBLIC_ADDRESS', undefined],
  ['PORT', undefined],
  ['HOME', undefined],
  ['COST', 'HOST'],
  ['CASTS', undefined],
  ['', undefined],
  ['HOSTPORT', undefined],
])('the setting that was meant by %s is %s', (written, name) => {
  expect(nearestOf(written, ['HOST', 'PORT', 'PUBLIC_URL'])).toBe(name);
});

it.each(['COST', 'SORT'])('is none where others have names too, as for %s', (written) => {
  expect(nearestOf(written, ['HOST', 'PORT'], 7)).toBeUndefined();
});

it('is none of so few letters that another one makes another word', () => {
  expect(nearestOf('es', ['en', 'ar'])).toBeUndefined();
});

it('is the one with the fewest wrong letters', () => {
  expect(nearestOf('PROVIDER_PUSH_ISSUR', ['PROVIDER_WEB_ISSUER', 'PROVIDER_PUSH_ISSUER'])).toBe(
    'PROVIDER_PUSH_ISSUER',
  );
});

it('is told as a question, or not at all', () => {
  expect(meant('nationalId', ['locale', 'national_id'])).toBe(' (did you mean "national_id"?)');
  expect(meant('phone', ['locale', 'national_id'])).toBe('');
});
