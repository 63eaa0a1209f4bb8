import { expect, it } from 'vitest';
import { FakeClock, nextTurn, START } from '../../test/support/fakes.ts';
import type { Ms } from '../engine/ports.ts';
import { MovableTime } from './movable-time.ts';
import type { Timer } from './timer.ts';

const HOUR = 3_600_000;
const NEVER = new AbortController().signal;

/** A timer that wakes nobody by itself. */
function patientTimer() {
  const asked: Ms[] = [];
  const timer: Timer = {
    elapsed: () => 0,
    sleep(ms, signal) {
      asked.push(ms);
      return new Promise((resolve) => signal.addEventListener('abort', () => resolve()));
    },
  };
  return { timer, asked };
}

function makeTime() {
  const clock = new FakeClock();
  const { timer, asked } = patientTimer();
  return { clock, asked, time: new MovableTime(clock, timer) };
}

/** Whether it has come, before and after each step. */
function watch(coming: Promise<void>) {
  let hasCome = false;
  void coming.then(() => (hasCome = true));
  return async () => {
    await nextTurn();
    return hasCome;
  };
}

it('is the clock below it until it is moved', () => {
  const { clock, time } = makeTime();
  clock.advance(5);
  expect(time.state()).toEqual({ now: START + 5, isFrozen: false, aheadMs: 0, skewMs: 0 });
});

it('goes on from where it was advanced to', async () => {
  const { clock, time } = makeTime();
  await time.move({ advance: HOUR });
  await time.move({ advance: HOUR });
  clock.advance(7);
  expect(time.now()).toBe(START + 2 * HOUR + 7);
  expect(time.state().aheadMs).toBe(2 * HOUR);
});

it('stands still when it is frozen, and can be advanced there', async () => {
  const { clock, time } = makeTime();
  await time.move({ freeze: 'now' });
  clock.advance(HOUR);
  expect(time.now()).toBe(START);
  await time.move({ advance: 10 });
  clock.advance(HOUR);
  expect(time.state()).toMatchObject({ now: START + 10, isFrozen: true });
});

it('goes to any time of this century, also back', async () => {
  const { time } = makeTime();
  const past = Date.UTC(2001, 1, 3);
  expect(await time.move({ freeze: past })).toBe(true);
  expect(time.now()).toBe(past);
});

it.each([
  { freeze: Date.UTC(1999, 11, 31) },
  { freeze: Date.UTC(2100, 0, 1) },
  { advance: 100 * 365 * 24 * HOUR },
  { skew: -50 * 365 * 24 * HOUR },
])('refuses %o, and stays as it was', async (move) => {
  const { time } = makeTime();
  expect(await time.move(move)).toBe(false);
  expect(time.state()).toEqual({ now: START, isFrozen: false, aheadMs: 0, skewMs: 0 });
});

it('gives the provider a clock of its own, which is not added up', async () => {
  const { time } = makeTime();
  await time.move({ skew: HOUR });
  await time.move({ skew: -5 });
  expect([time.now(), time.provider.now()]).toEqual([START, START - 5]);
});

it('is the clock below it again after a reset', async () => {
  const { clock, time } = makeTime();
  await time.move({ skew: HOUR });
  await time.move({ freeze: START - HOUR });
  await time.move({ reset: true });
  clock.advance(3);
  expect(time.state()).toEqual({ now: START + 3, isFrozen: false, aheadMs: 0, skewMs: 0 });
  expect(time.provider.now()).toBe(START + 3);
});

it('tells those who listen after it has moved, and waits for them', async () => {
  const { time } = makeTime();
  const seen: Ms[] = [];
  time.onMove(async () => {
    await nextTurn();
    seen.push(time.now());
  });
  await time.move({ advance: 9 });
  expect(seen).toEqual([START + 9]);
});

it('wakes who waits for a time that has come by a move, and nobody else', async () => {
  const { time } = makeTime();
  const soon = watch(time.until(START + 10, NEVER));
  const later = watch(time.until(START + HOUR, NEVER));
  await time.move({ advance: 9 });
  expect([await soon(), await later()]).toEqual([false, false]);
  await time.move({ advance: 1 });
  expect([await soon(), await later()]).toEqual([true, false]);
  await time.move({ skew: HOUR });
  expect(await later()).toBe(true);
});

it('does not count real time while it is frozen', async () => {
  const { time, asked } = makeTime();
  await time.move({ freeze: 'now' });
  const coming = watch(time.until(START + 10, NEVER));
  expect(await coming()).toBe(false);
  expect(asked.every((ms) => ms > HOUR)).toBe(true);
  await time.move({ reset: true });
  expect(await coming()).toBe(false);
  expect(asked.at(-1)).toBe(10);
});

it('lets go of who is not to wait any more', async () => {
  const { time } = makeTime();
  const leaving = new AbortController();
  const coming = watch(time.until(START + 10, leaving.signal));
  leaving.abort();
  expect(await coming()).toBe(true);
});

it('is moved exactly, though the clock below goes on meanwhile', async () => {
  let read = START;
  const hasty = { now: () => (read += 1) };
  const time = new MovableTime(hasty, patientTimer().timer);
  await time.move({ advance: HOUR });
  expect(time.state().aheadMs).toBe(HOUR);
  await time.move({ reset: true });
  expect(time.state().aheadMs).toBe(0);
});
