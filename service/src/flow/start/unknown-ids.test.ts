import { expect, it } from 'vitest';
import { MINUTE_MS } from '../../domain/time.ts';
import { UnknownIds } from './unknown-ids.ts';

const NOW = 1_800_000_000_000;

it('a client that meets twenty unknown identifiers in a minute is stopped, and the others are not', () => {
  const ids = new UnknownIds();
  for (let count = 1; count <= 19; count += 1) expect(ids.add('shop', NOW + count)).toBe(false);
  expect(ids.isSpent('shop', NOW + 20)).toBe(false);
  expect(ids.add('shop', NOW + 20)).toBe(true);
  expect(ids.isSpent('shop', NOW + 21)).toBe(true);
  expect(ids.isSpent('bank', NOW + 21)).toBe(false);
});

it('the minute begins with the first of them, and ends', () => {
  const ids = new UnknownIds();
  for (let count = 0; count < 20; count += 1) ids.add('shop', NOW + count);
  expect(ids.isSpent('shop', NOW + MINUTE_MS - 1)).toBe(true);
  expect(ids.isSpent('shop', NOW + MINUTE_MS)).toBe(false);
  expect(ids.add('shop', NOW + MINUTE_MS)).toBe(false);
});
