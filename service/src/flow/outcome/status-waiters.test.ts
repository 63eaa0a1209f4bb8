import { expect, test } from 'vitest';
import { makeAttemptId } from '../../domain/attempt-id.ts';
import type { Ms } from '../../domain/time.ts';
import type { AttemptBell, BellListener } from '../../ports/coordination.ts';
import { StatusWaiters } from './status-waiters.ts';

const CROWD = 250;
const LONG_MS = 60_000;

/** What waits for its time; `pass` lets that of everything up to `ms` come. */
function handTimer() {
  const planned = new Map<() => void, Ms>();
  return {
    after(ms: Ms, work: () => void) {
      planned.set(work, ms);
      return () => void planned.delete(work);
    },
    pass(limit: Ms) {
      const due = [...planned].filter(([, ms]) => ms <= limit);
      for (const [work] of due) {
        if (planned.delete(work)) work();
      }
    },
  };
}

function opened() {
  const listeners = new Set<BellListener>();
  const bell: AttemptBell = {
    ring: (attemptId) => {
      for (const { onAttempt } of listeners) onAttempt(attemptId);
    },
    onRing: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
  const timer = handTimer();
  return { bell, listeners, timer, waiters: new StatusWaiters({ most: 1000, bell, timer }) };
}

const attempt = (number: number) => makeAttemptId(number, new Uint8Array(10));

test('nothing is listened to before somebody waits, once for all, and not after the stop', () => {
  const { listeners, waiters } = opened();
  expect(listeners.size).toBe(0);
  waiters.admit(attempt(1), 'a');
  waiters.admit(attempt(2), 'a')?.end();
  expect(listeners.size).toBe(1);
  waiters.stop();
  waiters.admit(attempt(3), 'a');
  expect(listeners.size).toBe(0);
});

test('a ring wakes those of its attempt', async () => {
  const { bell, waiters } = opened();
  const waiting = [1, 2].map(async (number) => {
    await waiters.admit(attempt(number), 'a')?.next(LONG_MS);
    return number;
  });
  bell.ring(attempt(2));
  expect(await Promise.race(waiting)).toBe(2);
});

test('when anything may have changed all are woken, a hundred at a time', async () => {
  const { listeners, timer, waiters } = opened();
  let woken = 0;
  const waiting = Array.from({ length: CROWD }, async (_, number) => {
    await waiters.admit(attempt(number), String(number))?.next(LONG_MS);
    woken += 1;
  });
  for (const { onAny } of listeners) onAny();
  const counts: number[] = [];
  for (const ends of [100, 200, CROWD]) {
    await Promise.all(waiting.slice(0, ends));
    counts.push(woken);
    timer.pass(LONG_MS - 1);
  }
  expect(counts).toEqual([100, 200, CROWD]);
});
