import { expect, it } from 'vitest';
import { hashClientKey, isClientKey, SIMULATOR_CLIENT } from './client.ts';

it('has the hash of the key that simulator mode publishes', () => {
  expect(SIMULATOR_CLIENT.keys).toEqual([hashClientKey('mfk_test_simulator')]);
});

it.each([
  '',
  'mfk_',
  'mfk_short',
  'MFK_TEST_SIMULATOR',
  'mfk_with a space',
  `mfk_${'a'.repeat(300)}`,
])('no key has the form of %j', (text) => {
  expect(isClientKey(text)).toBe(false);
});
