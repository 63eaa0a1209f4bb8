import { expect, test } from 'vitest';
import { call, every, read, start, timeLine } from '../../test/support/time-line.ts';
import { IGNORES_RETRY_AFTER } from './retry-after.ts';

const limited = (at: number, seconds = '10', status = 429) =>
  call(at, 'readStatus', { status, answerHeaders: { 'retry-after': seconds } });
const early = (entries: readonly ReturnType<typeof read>[]) =>
  IGNORES_RETRY_AFTER.check(timeLine([start(), ...entries]));

test.each([429, 503])('two calls before the time after %i are too early', (status) => {
  const answers = every(2000, 3, (at) => limited(at, '10', status));
  expect(early(answers)).toEqual([3, 4]);
});

test('whoever waits as long as asked is right, although timers are not exact', () => {
  expect(early(every(10_010, 9, (at) => limited(at)))).toBeNull();
  expect(early(every(9_500, 9, (at) => limited(at)))).toBeNull();
});

test('one early call is that of another tab, which has not seen the answer', () => {
  expect(early([limited(1000), read(3000, 'pending'), read(12_000, 'pending')])).toBeNull();
});

test('each operation has a limit of its own', () => {
  const exchange = every(500, 4, (at) => call(at, 'issueToken'), 1500);
  expect(early([limited(1000), ...exchange])).toBeNull();
});

test('an answer without a wait in seconds asks for none', () => {
  expect(early(every(100, 9, (at) => limited(at, 'Sat, 31 Jan 2026 09:05:00 GMT')))).toBeNull();
  expect(early(every(100, 9, (at) => limited(at, '10', 200)))).toBeNull();
});

test('while the clock of a test stands still, nobody knows how long somebody has waited', () => {
  expect(early(every(0, 9, (at) => limited(at), 0))).toBeNull();
});

test('the provider that sends its result again, and the browser, are not the application', () => {
  const busy = { status: 503, answerHeaders: { 'retry-after': '30' } };
  for (const name of ['push_callback', 'launch', 'callback']) {
    expect(early(every(1000, 5, (at) => call(at, name, busy)))).toBeNull();
  }
});
