import { expect, it } from 'vitest';
import { DAY_MS } from '../values/time.ts';
import {
  firstKeys,
  knownFrom,
  parseSigningKeys,
  published,
  rotated,
  settledFrom,
} from './openid-keys.ts';

const AT = 1_000_000_000_000;

it('what signs next is published before it signs, and what has signed for one rotation more', () => {
  const first = firstKeys(['a'], ['b'], AT);
  const second = rotated(first, ['c'], AT + DAY_MS);
  const third = rotated(second, ['d'], AT + 2 * DAY_MS);
  expect([first, second, third].map(published)).toEqual([
    ['a', 'b'],
    ['b', 'c', 'a'],
    ['c', 'd', 'b'],
  ]);
});

it('clients have a day to learn the next keys', () => {
  const first = firstKeys(['a'], ['b'], AT);
  expect(knownFrom(first)).toBe(AT + DAY_MS);
  expect(knownFrom(rotated(first, ['c'], AT + 5))).toBe(AT + 5 + DAY_MS);
});

it('no rotation follows another one before every instance has read the keys again', () => {
  const first = firstKeys(['a'], ['b'], AT);
  expect(settledFrom(first)).toBe(0);
  expect(settledFrom(rotated(first, ['c'], AT + 5))).toBe(AT + 10_005);
});

it('a store of before has no next keys: the first rotation publishes some, and no other signs', () => {
  const before = parseSigningKeys('["a"]');
  expect(knownFrom(before)).toBe(0);
  expect(published(rotated(before, ['b'], AT))).toEqual(['a', 'b']);
  expect(knownFrom(rotated(before, ['b'], AT))).toBe(AT + DAY_MS);
});

it('what is written is read again, and nothing else is taken for it', () => {
  const keys = rotated(firstKeys([{ kid: 'a' }], ['b'], AT), ['c'], AT + 1);
  expect(parseSigningKeys(JSON.stringify(keys))).toEqual(keys);
  const wrong = ['null', '7', '{}', '{"current":[],"next":[],"previous":[]}'];
  for (const body of wrong) expect(() => parseSigningKeys(body)).toThrow('can not be read');
});
