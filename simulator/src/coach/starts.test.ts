import { expect, test } from 'vitest';
import { call, LONG_AFTER, read, start, T0, timeLine } from '../../test/support/time-line.ts';
import type { CoachInput } from './rule.ts';
import { NEVER_FINISHES, STARTS_TWICE } from './starts.ts';

const twice = (after: number, more: Partial<CoachInput> = {}, isAlike = true) => {
  const othersStarted = [{ id: 'other', at: T0 + after, isAlike }];
  return STARTS_TWICE.check(timeLine([start()], { state: 'pending', othersStarted, ...more }));
};

test('a second start for the same person within seconds is shown', () => {
  expect(twice(40)).toEqual([1]);
  expect(twice(1900, { endedAt: T0 + 1950 })).toEqual([1]);
});

test('a start of somebody else, one that comes later, and one after the end are not', () => {
  expect(twice(40, {}, false)).toBeNull();
  expect(twice(2000)).toBeNull();
  expect(twice(1500, { endedAt: T0 + 1000 })).toBeNull();
});

test('only the first of the two is shown, and nothing while the clock stands still', () => {
  expect(twice(-40)).toBeNull();
  expect(twice(0)).toBeNull();
});

test('a provider by itself sees no start of the application, and says nothing of it', () => {
  const othersStarted = [{ id: 'other', at: T0 + 40, isAlike: true }];
  expect(STARTS_TWICE.check(timeLine([], { state: 'pending', othersStarted }))).toBeNull();
});

const never = (entries: Parameters<typeof timeLine>[0], more: Partial<CoachInput> = {}) =>
  NEVER_FINISHES.check(
    timeLine(entries, { state: 'rejected', endedAt: T0 + 9000, now: LONG_AFTER, ...more }),
  );

test('a sign-in by phone that nobody asked about is shown when it is long over', () => {
  expect(never([start()])).toEqual([1]);
  expect(never([start()], { state: 'expired', endedAt: T0 + 300_000 })).toEqual([1]);
});

test.each(['readStatus', 'watchStatus', 'completeMfa', 'issueToken'])(
  'who calls %s asks about it',
  (name) => {
    expect(never([start(), call(1000, name)])).toBeNull();
  },
);

test('an open stream is not in the time line yet, so nothing is said before the end', () => {
  expect(never([start()], { state: 'pending', endedAt: null })).toBeNull();
  expect(never([start()], { now: T0 + 60_000 })).toBeNull();
});

test('without the start the time line is not whole', () => {
  expect(never([])).toBeNull();
});

test('another instance has seen the exchange', () => {
  expect(never([start()], { state: 'redeemed' })).toBeNull();
});

const location = 'http://app.test/return?attempt_id=x&completion_code=[masked]';
const returned = call(5000, 'callback', { status: 303, answerHeaders: { location } });

test('a browser came back with a code, and the application did nothing', () => {
  expect(never([start(), returned], { flow: 'oidc', state: 'authenticated' })).toEqual([1]);
  const exchanged = [start(), returned, call(6000, 'issueToken')];
  expect(never(exchanged, { flow: 'oidc', state: 'authenticated' })).toBeNull();
});

test('a browser that never came back, or after a refusal, leaves nothing to ask for', () => {
  expect(never([start()], { flow: 'oidc', state: 'expired' })).toBeNull();
  expect(never([start(), read(9000, 'rejected')], { flow: 'oidc' })).toBeNull();
});
