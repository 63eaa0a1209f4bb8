import { expect, it } from 'vitest';
import { SystemClock, systemClock } from './clock.ts';

const NOON = Date.UTC(2026, 0, 31, 12);
const HOUR = 3_600_000;

/** A machine whose two clocks the test sets. */
class Machine {
  wallMs = NOON;
  monotonicMs = 5000.5;
  readonly clock = new SystemClock({ wall: () => this.wallMs, monotonic: () => this.monotonicMs });

  pass(ms: number): void {
    this.wallMs += ms;
    this.monotonicMs += ms;
  }

  /** The time since noon, after the work that the service does every second. */
  tick(): number {
    this.clock.follow();
    return this.clock.now() - NOON;
  }
}

it('tells whole milliseconds since 1970, near the time of day', () => {
  const now = systemClock.now();
  expect(Number.isInteger(now)).toBe(true);
  expect(Math.abs(now - Date.now())).toBeLessThan(HOUR);
});

it('R-1: never goes back', () => {
  let last = 0;
  for (let reading = 0; reading < 10_000; reading += 1) {
    if (reading % 100 === 0) systemClock.follow();
    const now = systemClock.now();
    expect(now).toBeGreaterThanOrEqual(last);
    last = now;
  }
});

it('goes on with the time that passes', () => {
  const machine = new Machine();
  machine.pass(60_000);
  expect(machine.clock.now() - NOON).toBe(60_000);
  expect(machine.tick()).toBe(60_000);
});

it('R-8: takes over a clock that was set forward, or went on while the machine slept', () => {
  const machine = new Machine();
  machine.wallMs += HOUR;
  expect(machine.clock.now() - NOON, 'between two looks it is not known').toBe(0);
  expect(machine.tick()).toBe(HOUR);
  expect(machine.clock.aheadMs).toBe(0);
});

it('R-8, R-9: goes on by itself when the clock was set back, and says how far it is ahead', () => {
  const machine = new Machine();
  machine.wallMs -= 2 * HOUR;
  machine.pass(1000);
  expect(machine.tick()).toBe(1000);
  expect(machine.clock.aheadMs).toBe(2 * HOUR);
  machine.pass(HOUR);
  expect(machine.tick()).toBe(HOUR + 1000);
  expect(machine.clock.aheadMs).toBe(2 * HOUR);
});

it('R-9: is with the machine again as soon as its clock has caught up', () => {
  const machine = new Machine();
  machine.wallMs -= 2 * HOUR;
  machine.tick();
  machine.wallMs += 2 * HOUR - 10_000;
  expect(machine.tick()).toBe(0);
  expect(machine.clock.aheadMs).toBe(10_000);
  machine.wallMs += 20_000;
  expect(machine.tick()).toBe(10_000);
  expect(machine.clock.aheadMs).toBe(0);
});
