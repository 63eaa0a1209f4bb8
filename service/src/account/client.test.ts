import { describe, expect, it } from 'vitest';
import { hashClientKey, isClientKey, openToAll, simulatorClient } from './client.ts';

const BUILT_IN = simulatorClient('http://127.0.0.1:3000/dashboard');

it('has the hash of the key that simulator mode publishes', () => {
  expect(BUILT_IN.keys).toEqual([hashClientKey('mfk_test_simulator')]);
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

describe('where nobody has to show a key', () => {
  const closed = { ...BUILT_IN, keyless: [] };

  it('the first client starts what no other is keyless for', () => {
    const shop = { ...BUILT_IN, id: 'shop', keyless: ['oidc'] as const };
    const flows = openToAll([closed, shop]).map(({ keyless }) => keyless);
    expect(flows).toEqual([['mfa'], ['oidc']]);
    expect(openToAll([closed])[0]?.keyless).toEqual(['oidc', 'mfa']);
  });

  it('nobody is made of nobody', () => {
    expect(openToAll([])).toEqual([]);
  });
});
