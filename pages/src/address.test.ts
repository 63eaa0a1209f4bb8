import { describe, expect, it } from 'vitest';
import { safeAddress } from './address.ts';

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
