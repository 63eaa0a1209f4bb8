import { expect, test } from 'vitest';
import { call, LONG_AFTER, read, start, T0, timeLine } from '../../test/support/time-line.ts';
import { IDENTITY_FROM_STATUS } from './identity.ts';

const told = [start(), read(1000, 'pending'), read(3000, 'authenticated')];

test('authenticated was read, and nothing came in two minutes', () => {
  expect(IDENTITY_FROM_STATUS.check(timeLine(told, { now: LONG_AFTER }))).toEqual([3]);
  const stream = { answer: 'event: status\ndata: {"status":"authenticated"}\n\n' };
  const watched = timeLine([start(), call(1000, 'watchStatus', stream)], { now: LONG_AFTER });
  expect(IDENTITY_FROM_STATUS.check(watched)).toEqual([2]);
});

test('there is still time', () => {
  expect(IDENTITY_FROM_STATUS.check(timeLine(told, { now: T0 + 120_000 }))).toBeNull();
});

test('whoever exchanges the attempt, or tries to, does it right', () => {
  const tried = [...told, call(4000, 'issueToken', { status: 503 })];
  expect(IDENTITY_FROM_STATUS.check(timeLine(tried, { now: LONG_AFTER }))).toBeNull();
});

test('another instance has seen the exchange', () => {
  const redeemed = timeLine(told, { now: LONG_AFTER, state: 'redeemed' });
  expect(IDENTITY_FROM_STATUS.check(redeemed)).toBeNull();
});

test('whoever was never told that somebody is authenticated took it from nowhere', () => {
  const refused = [start(), read(1000, 'rejected')];
  expect(IDENTITY_FROM_STATUS.check(timeLine(refused, { now: LONG_AFTER }))).toBeNull();
});
