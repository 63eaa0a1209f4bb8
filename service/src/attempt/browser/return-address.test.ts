import { describe, expect, it } from 'vitest';
import { simulatorClient, strictClient, type Client } from '../../account/client.ts';
import { isReturnAddress, namedReturnAddress } from './return-address.ts';

const DASHBOARD = 'http://127.0.0.1:3000/dashboard';
const BUILT_IN = simulatorClient(DASHBOARD);

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
    'http://127.1/',
    'http://0x7f.1/',
    'http://2130706433/',
    'http://[0:0:0:0:0:0:0:1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://127.0.0.1:/',
    'http://127.0.0.1:70000/',
    'http:127.0.0.1/',
    'http:\\\\127.0.0.1\\',
    'com.example.app:/return',
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

describe('an address of a private-use scheme', () => {
  it.each([
    'com.example.app:/signed-in',
    'com.example.app:/',
    'com.example.app://signed-in',
    'com.example.app:///signed-in?a=b',
    'com.googleusercontent.apps.123-abc:/oauth2redirect/google',
  ])('is for public clients alone: %s', (address) => {
    expect(isReturnAddress(address, 'public')).toBe(true);
    expect(isReturnAddress(address, 'confidential')).toBe(false);
  });
});

const NATIVE: Client = {
  ...BUILT_IN,
  returnsToLoopback: false,
  returnAddresses: [
    'com.example.app:/signed-in',
    'http://127.0.0.1/signed-in?a=b',
    'http://[::1]:8080/',
    'http://localhost/signed-in',
    'https://127.0.0.1/secure',
  ],
};

describe('a public client on the loopback interface', () => {
  it.each([
    'http://127.0.0.1:51004/signed-in?a=b',
    'http://127.0.0.1:65535/signed-in?a=b',
    'http://[::1]/',
    'http://[::1]:1/',
  ])('may name any port: %s', (wanted) => {
    expect(namedReturnAddress(NATIVE, wanted)).toBe(wanted);
  });

  it.each([
    'http://127.0.0.1:51004/signed-in',
    'http://127.0.0.1:51004/signed-in?a=b&c=d',
    'http://127.0.0.1:51004/signed-in/?a=b',
    'http://127.0.0.1:0/signed-in?a=b',
    'http://127.0.0.1:051004/signed-in?a=b',
    'http://127.0.0.1:65536/signed-in?a=b',
    'http://127.0.0.1:/signed-in?a=b',
    'http://127.0.0.1:51004@evil.example/signed-in?a=b',
    'http://user@127.0.0.1:51004/signed-in?a=b',
    'https://127.0.0.1:51004/signed-in?a=b',
    'HTTP://127.0.0.1:51004/signed-in?a=b',
    'http://[::1]:51004/signed-in?a=b',
    'http://127.1:51004/signed-in?a=b',
    'http://0x7f.1:51004/signed-in?a=b',
    'http://127.0.0.2:51004/signed-in?a=b',
    'http://[::1]:1',
    'http://[0:0:0:0:0:0:0:1]:1/',
    'http://[::1%25lo]:1/',
    'http://[::ffff:127.0.0.1]:1/',
    'http://localhost:51004/signed-in',
    'https://127.0.0.1:51004/secure',
  ])('may name nothing else: %s', (wanted) => {
    expect(namedReturnAddress(NATIVE, wanted)).toBeNull();
  });

  it('is public: another has a back end, whose port is known', () => {
    const confidential: Client = { ...NATIVE, type: 'confidential' };
    expect(namedReturnAddress(confidential, 'http://[::1]:1/')).toBeNull();
    expect(namedReturnAddress(strictClient(DASHBOARD), 'http://localhost:1/')).not.toBeNull();
  });
});
