import { expect, it } from 'vitest';
import { SystemClock, systemClock } from './runtime.ts';

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

/** A database whose clock is `offMs` from the machine's, and the time for a question and its answer. */
function databaseOf(machine: Machine, offMs: number, roundTripMs = 0) {
  return async () => {
    machine.pass(roundTripMs / 2);
    const at = machine.wallMs + offMs;
    machine.pass(roundTripMs / 2);
    return at;
  };
}

it.each([-4 * 60_000, 4 * 60_000])(
  'R-12: takes the time of the database from the first measurement on: %i ms off',
  async (offMs) => {
    const machine = new Machine();
    machine.tick();
    await machine.clock.followDatabase(databaseOf(machine, offMs, 400));
    const wanted = machine.wallMs + offMs;
    expect(Math.abs(machine.clock.now() - wanted)).toBeLessThanOrEqual(1);
    expect(machine.clock.machineAheadMs).toBe(-offMs);
    expect(machine.clock.aheadMs).toBe(0);
    machine.wallMs += HOUR;
    machine.tick();
    expect(machine.clock.now(), 'the machine is not followed any more').toBe(wanted);
  },
);

it('R-12: takes over a database that was set forward, and not what may be the way of the answer', async () => {
  const machine = new Machine();
  await machine.clock.followDatabase(databaseOf(machine, 0));
  const before = machine.clock.now() - machine.monotonicMs;
  await machine.clock.followDatabase(databaseOf(machine, 40, 100));
  expect(machine.clock.now() - machine.monotonicMs).toBeCloseTo(before, -1);
  await machine.clock.followDatabase(databaseOf(machine, HOUR, 100));
  expect(machine.clock.now() - machine.wallMs).toBe(HOUR);
});

it('R-1, R-12: does not go back with the database, but comes near to it', async () => {
  const machine = new Machine();
  await machine.clock.followDatabase(databaseOf(machine, 0));
  let last = machine.clock.now();
  for (let second = 0; second < 200; second += 1) {
    machine.pass(1000);
    await machine.clock.followDatabase(databaseOf(machine, -1500));
    expect(machine.clock.now()).toBeGreaterThan(last);
    last = machine.clock.now();
    if (second === 0) expect(machine.clock.aheadMs).toBeGreaterThan(1400);
  }
  expect(machine.clock.aheadMs).toBe(0);
  expect(machine.clock.now() - machine.wallMs).toBe(-1500);
});

it('R-13: keeps what it has when the database does not answer, or takes too long', async () => {
  const machine = new Machine();
  await machine.clock.followDatabase(databaseOf(machine, HOUR));
  const before = machine.clock.now() - machine.monotonicMs;
  await machine.clock.followDatabase(databaseOf(machine, 2 * HOUR, 2001));
  const away = machine.clock.followDatabase(() => Promise.reject(new Error('away')));
  await expect(away).rejects.toThrow('away');
  machine.wallMs += HOUR;
  machine.tick();
  expect(machine.clock.now() - machine.monotonicMs).toBe(before);
});
