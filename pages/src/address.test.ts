import { describe, expect, it } from 'vitest';
import { payloads } from '../test/support/payloads.ts';
import { applicationScheme, returnLink, safeAddress } from './address.ts';

describe('an address in a page', () => {
  it.each(['/errors/attempt.pending', '?locale=en', '#people', 'https://app.example/x', 'page'])(
    'is kept when it leads to a page: %s',
    (address) => {
      expect(safeAddress(address)).toBe(address);
    },
  );

  it.each(['javascript:alert(1)', ' java\nscript:alert(1)', 'data:text/html,x', 'http://'])(
    'is taken away when it does not: %j',
    (address) => {
      expect(safeAddress(address)).toBe('#');
    },
  );
});

describe('an address that opens an application', () => {
  const APPLICATION = 'com.example.app:/signed-in?a=b';

  it('has a scheme with a dot, and is kept on the way back alone', () => {
    expect(applicationScheme(APPLICATION)).toBe('com.example.app:');
    expect([returnLink(APPLICATION), safeAddress(APPLICATION)]).toEqual([APPLICATION, '#']);
  });

  it.each([
    ...payloads,
    'https://app.example.test/',
    'app:/signed-in',
    'com.example.app:signed-in',
    'Com.example.app:/signed-in',
    'com.:/signed-in',
    '.com:/signed-in',
    "com.example'; script-src *:/",
    'com.example app:/',
  ])('is none: %j', (address) => {
    expect(applicationScheme(address)).toBeNull();
    expect(returnLink(address)).toBe(safeAddress(address));
  });
});
