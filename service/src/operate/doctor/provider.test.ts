import { expect, it } from 'vitest';
import { judgeClock } from './provider.ts';

it.each([
  [null, 'warning'],
  [0, 'ok'],
  [-5000, 'ok'],
  [5001, 'warning'],
  [-30_000, 'warning'],
  [30_001, 'fault'],
  [-3_600_000, 'fault'],
] as const)('a clock that is %s ms ahead of the provider: %s', (aheadMs, severity) => {
  expect(judgeClock(aheadMs).severity).toBe(severity);
});

it('says by how much, and in which direction', () => {
  expect(judgeClock(7000).what).toContain("7 s ahead of the provider's");
  expect(judgeClock(-7000).what).toContain("7 s behind the provider's");
});
