import { expect, test } from 'vitest';
import { call, every, read, start, timeLine } from '../../test/support/time-line.ts';
import { POLLS_TOO_FAST, READS_AFTER_THE_END } from './polling.ts';

const pending = (at: number) => read(at, 'pending');
const fast = (entries: readonly ReturnType<typeof read>[]) =>
  POLLS_TOO_FAST.check(timeLine([start(), ...entries]));

test('six polls with less than a second and a half between them are too fast', () => {
  expect(fast(every(1000, 6, pending))).toEqual([2, 3, 4, 5, 6, 7]);
  expect(fast(every(200, 20, pending))).toHaveLength(20);
});

test('a poll every two seconds is what the service asks for, though timers are not exact', () => {
  expect(fast(every(2000, 60, pending))).toBeNull();
  expect(fast(every(1700, 60, pending))).toBeNull();
});

test('a few polls close to each other are those of a second tab', () => {
  expect(fast([...every(2000, 5, pending), ...every(2000, 2, pending, 2300)])).toBeNull();
  expect(fast([...every(100, 5, pending), ...every(2000, 30, pending)])).toBeNull();
});

test('long polls and streams may follow each other at once', () => {
  const long = { path: '/api/v1/status/x?wait=25' };
  expect(fast(every(100, 30, (at) => read(at, 'pending', long)))).toBeNull();
  const prefer = { headers: { prefer: 'wait=25' } };
  expect(fast(every(100, 30, (at) => read(at, 'pending', prefer)))).toBeNull();
  expect(fast(every(100, 30, (at) => call(at, 'watchStatus')))).toBeNull();
});

test('while the clock of a test stands still, nobody knows how fast a poll is', () => {
  expect(fast(every(0, 30, pending, 0))).toBeNull();
});

const after = (entries: readonly ReturnType<typeof read>[]) =>
  READS_AFTER_THE_END.check(timeLine([start(), ...entries]));

test.each(['rejected', 'expired', 'failed', 'authenticated', 'a word of a later version'])(
  'who goes on reading after %s has not seen the end',
  (status) => {
    expect(after(every(2000, 6, (at) => read(at, status)))).toEqual([3, 4, 5, 6, 7]);
  },
);

test('a stream is asked for again after its end, and gets 204', () => {
  const again = every(2000, 5, (at) => call(at, 'watchStatus', { status: 204 }), 3000);
  const stream = { answer: 'id: 2\nevent: status\ndata: {"status":"rejected"}\n\n' };
  expect(after([call(1000, 'watchStatus', stream), ...again])).toHaveLength(5);
});

test('five tabs may each see the end once, and a page may be visited again later', () => {
  expect(
    after([...every(2000, 9, pending), ...every(400, 5, (at) => read(at, 'rejected'), 2e4)]),
  ).toBeNull();
  expect(after(every(40_000, 9, (at) => read(at, 'authenticated')))).toBeNull();
});

test('reads before the end are none after it', () => {
  expect(after([...every(2000, 30, pending), read(61_000, 'expired')])).toBeNull();
});
