import { expect, test } from 'vitest';
import { call, read, start, timeLine } from '../../test/support/time-line.ts';
import { NEW_KEY_FOR_A_REPEAT, NO_IDEMPOTENCY_KEY } from './exchange.ts';

const exchange = (at: number, key: string, sent: Parameters<typeof call>[2] = {}) =>
  call(at, 'issueToken', { headers: { 'idempotency-key': key }, ...sent });
const redeemed = { status: 409, answer: { code: 'attempt.already_redeemed' } };

test('an exchange without the header is shown', () => {
  const line = [start(), read(2000, 'authenticated'), call(2100, 'issueToken')];
  expect(NO_IDEMPOTENCY_KEY.check(timeLine(line))).toEqual([3]);
});

test('an exchange with the header is not', () => {
  expect(NO_IDEMPOTENCY_KEY.check(timeLine([start(), exchange(2000, 'a')]))).toBeNull();
  expect(NO_IDEMPOTENCY_KEY.check(timeLine([start()]))).toBeNull();
});

test('a repeat with another key, which is refused, is shown', () => {
  const line = [start(), exchange(2000, 'a'), exchange(4000, 'b', redeemed)];
  expect(NEW_KEY_FOR_A_REPEAT.check(timeLine(line))).toEqual([3]);
});

test('a repeat with the same key is right, also one that comes too late', () => {
  const line = [start(), exchange(2000, 'a'), exchange(4000, 'a'), exchange(90_000, 'a', redeemed)];
  expect(NEW_KEY_FOR_A_REPEAT.check(timeLine(line))).toBeNull();
});
