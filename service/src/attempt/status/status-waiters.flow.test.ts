import { expect, test } from 'vitest';
import { makeAttemptId } from '../../values/ids.ts';
import type { Ms } from '../../values/time.ts';
import type {
  AttemptNotifier,
  NoticeListener,
} from '../../platform/coordination/coordination.port.ts';
import { StatusWaiter } from './status-waiter.flow.ts';
import { StatusWaiters } from './status-waiters.flow.ts';

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
  const listeners = new Set<NoticeListener>();
  const notifier: AttemptNotifier = {
    notify: (attemptId) => {
      for (const { onAttempt } of listeners) onAttempt(attemptId);
    },
    listen: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
  const timer = handTimer();
  const limits = { most: 5000, ofClient: 5000, ofAddress: 5000 };
  const meter = { limitHit: () => undefined, waitBegins: () => () => undefined };
  const waiters = new StatusWaiters({ limits, notifier, timer, meter });
  const admit = (number: number) => {
    const place = waiters.admit({
      kind: 'stream',
      attemptId: attempt(number),
      client: 'c',
      address: 'a',
    });
    return place instanceof StatusWaiter ? place : null;
  };
  return { notifier, listeners, timer, waiters, admit };
}

const attempt = (number: number) => makeAttemptId(number, new Uint8Array(10));

test('nothing is listened to before somebody waits, once for all, and not after the stop', () => {
  const { listeners, waiters, admit } = opened();
  expect(listeners.size).toBe(0);
  admit(1);
  admit(2)?.end('client_left');
  expect(listeners.size).toBe(1);
  waiters.stop();
  expect(admit(3)).toBe(null);
  expect(listeners.size).toBe(0);
});

test('a notice wakes those of its attempt', async () => {
  const { notifier, admit } = opened();
  const waiting = [1, 2].map(async (number) => {
    await admit(number)?.next(LONG_MS);
    return number;
  });
  notifier.notify(attempt(2));
  expect(await Promise.race(waiting)).toBe(2);
});

test('when anything may have changed all are woken, a hundred at a time', async () => {
  const { listeners, timer, admit } = opened();
  let woken = 0;
  const waiting = Array.from({ length: CROWD }, async (_, number) => {
    await admit(number)?.next(LONG_MS);
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

test('all together read no more than two thousand times a second without a sign', async () => {
  const { timer, admit } = opened();
  let read = false;
  for (let number = 0; number < 4000; number += 1) admit(number);
  const reading = admit(4000)
    ?.next(1000)
    .then(() => (read = true));
  timer.pass(1999);
  // Whatever was woken has had its turn by then.
  await new Promise((resolve) => setImmediate(resolve));
  expect(read).toBe(false);
  timer.pass(2001);
  await reading;
  expect(read).toBe(true);
});
