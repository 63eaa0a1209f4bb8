import { describe, expect, it } from 'vitest';
import {
  hashClientKey,
  isClientKey,
  namedReturnAddress,
  openToAll,
  simulatorClient,
} from './client.ts';

const DASHBOARD = 'http://127.0.0.1:3000/dashboard';
const BUILT_IN = simulatorClient(DASHBOARD);

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

describe('the address that a start names', () => {
  it.each([
    [DASHBOARD, DASHBOARD],
    ['http://localhost:8080', 'http://localhost:8080/'],
    ['http://127.0.0.1:5173/return?a=b', 'http://127.0.0.1:5173/return?a=b'],
    ['https://localhost:8443/return', 'https://localhost:8443/return'],
    ['http://[::1]:8080', 'http://[::1]:8080/'],
  ])('of the built-in client may be any of this machine: %s', (wanted, named) => {
    expect(namedReturnAddress(BUILT_IN, wanted)).toBe(named);
  });

  it.each([
    'http://localhost.example.test/',
    'http://localhost@example.test/',
    'https://example.test/return',
    'http://user:password@localhost/',
    'http://localhost/#fragment',
    'javascript://localhost/%0Aalert(1)',
    'ftp://localhost/',
    '//localhost/',
    `http://localhost/${'a'.repeat(2048)}`,
    `http://localhost/${'字'.repeat(2000)}`,
    '',
  ])('of the built-in client is nowhere else: %s', (wanted) => {
    expect(namedReturnAddress(BUILT_IN, wanted)).toBeNull();
  });

  it('of any other client is one of its own, to the letter', () => {
    const shop = { ...BUILT_IN, returnsToLoopback: false };
    expect(namedReturnAddress(shop, DASHBOARD)).toBe(DASHBOARD);
    expect(namedReturnAddress(shop, `${DASHBOARD}/`)).toBeNull();
    expect(namedReturnAddress(shop, 'http://localhost:8080/')).toBeNull();
  });
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
