import { describe, expect, it } from 'vitest';
import { SeededRandom } from '../../../test/support/fakes.ts';
import { faultOfStatus } from './answer-faults.ts';
import {
  Faults,
  LATENCY_MAX_MS,
  NO_FAULTS,
  OPERATIONS,
  seedFrom,
  SEED_LIMIT,
  type FaultRule,
  type Operation,
} from './faults.ts';

const DOWN = faultOfStatus(503);
const CUT = { kind: 'cut' } as const;

const rule = (changes: Partial<FaultRule> = {}): FaultRule => ({
  operation: 'any',
  fault: DOWN,
  rate: 1,
  seed: 1,
  times: null,
  ...changes,
});
const latency = (minMs: number, maxMs = minMs) => ({ kind: 'latency', minMs, maxMs }) as const;

const faultsOf = (...rules: readonly FaultRule[]) => new Faults(rules);

/** Which of so many calls meet a fault: `x` for one that does. */
function pattern(faults: Faults, calls: number, operation: Operation = 'session'): string {
  const met = Array.from({ length: calls }, () => faults.meet(operation).fault !== null);
  return met.map((isHit) => (isHit ? 'x' : '.')).join('');
}

const delays = (faults: Faults, calls: number) =>
  Array.from({ length: calls }, () => faults.meet('jwk').latencyMs);

describe('the decisions of a seed', () => {
  // Calculated by a program in another language: SHA-256 of `1:1`, `1:2` and so on.
  it.each([
    [1, 0.5, '.x.xxxxx..x.....x..xx..x'],
    [2, 0.5, 'xx..xxx...x.xx.xx.xx....'],
    [1, 0.25, '......x...x.............'],
  ])('never change: seed %i at a rate of %f', (seed, rate, calls) => {
    expect(pattern(faultsOf(rule({ seed, rate })), 24)).toBe(calls);
  });

  it('never change for a latency in a range', () => {
    expect(delays(faultsOf(rule({ seed: 1, fault: latency(100, 900) })), 6)).toEqual([
      319, 541, 486, 695, 230, 199,
    ]);
  });

  it.each([0, 1, 7, SEED_LIMIT - 1])('are the same each time: %i', (seed) => {
    const once = pattern(faultsOf(rule({ seed, rate: 0.3 })), 200);
    expect(pattern(faultsOf(rule({ seed, rate: 0.3 })), 200)).toBe(once);
    expect(pattern(faultsOf(rule({ seed: (seed + 1) % SEED_LIMIT, rate: 0.3 })), 200)).not.toBe(
      once,
    );
  });

  it('come as often as the rate says', () => {
    for (const rate of [0.05, 0.5, 0.95]) {
      const hits = pattern(faultsOf(rule({ rate })), 4000).replaceAll('.', '').length;
      expect(hits / 4000).toBeGreaterThan(rate - 0.03);
      expect(hits / 4000).toBeLessThan(rate + 0.03);
    }
  });

  it('are always with a rate of 1, and never with 0', () => {
    expect(pattern(faultsOf(rule()), 100)).toBe('x'.repeat(100));
    expect(pattern(faultsOf(rule({ rate: 0 })), 100)).toBe('.'.repeat(100));
  });

  it('spread a latency over its range, with both ends', () => {
    const met = delays(faultsOf(rule({ fault: latency(10, 13) })), 300);
    expect([...new Set(met)].toSorted((one, other) => one - other)).toEqual([10, 11, 12, 13]);
  });

  it('do not depend on the rules beside it, nor on other operations', () => {
    const half = rule({ operation: 'session', rate: 0.5 });
    const alone = pattern(faultsOf(half), 50);
    const beside = faultsOf(rule({ fault: latency(5), rate: 0.5, seed: 9 }), half);
    const calls = Array.from({ length: 50 }, () => {
      beside.meet('exchange');
      return beside.meet('session').fault === null ? '.' : 'x';
    });
    expect(calls.join('')).toBe(alone);
  });
});

describe('a rule', () => {
  it('is for its operation, or for any', () => {
    for (const operation of OPERATIONS) {
      const faults = faultsOf(rule({ operation }));
      const met = OPERATIONS.filter((one) => faults.meet(one).fault !== null);
      expect(met).toEqual([operation]);
      expect(faultsOf(rule()).meet(operation).fault).toEqual(DOWN);
    }
  });

  it('ends after as many calls as it is for, whether they met it or not', () => {
    expect(pattern(faultsOf(rule({ times: 3 })), 6)).toBe('xxx...');
    const some = pattern(faultsOf(rule({ rate: 0.5 })), 6);
    expect(pattern(faultsOf(rule({ rate: 0.5, times: 6 })), 12)).toBe(`${some}......`);
  });

  it('counts the calls that it has seen, and those that met it', () => {
    const faults = faultsOf(rule({ operation: 'jwk', times: 2 }), rule({ fault: CUT }));
    for (const operation of ['jwk', 'session', 'jwk', 'jwk'] as const) faults.meet(operation);
    expect(faults.list()).toMatchObject([
      { seen: 3, hits: 2 },
      // Twice the first rule had the answer already.
      { seen: 4, hits: 2 },
    ]);
  });
});

it('a seed is chosen among all, each time another one', () => {
  const random = new SeededRandom();
  const seeds = Array.from({ length: 50 }, () => seedFrom(random));
  expect(new Set(seeds).size).toBe(50);
  expect(seeds.every((seed) => Number.isInteger(seed) && seed >= 0 && seed < SEED_LIMIT)).toBe(
    true,
  );
  expect(Math.max(...seeds)).toBeGreaterThan(SEED_LIMIT / 2);
});

describe('several rules', () => {
  it('add up their latencies, up to the longest', () => {
    expect(
      delays(faultsOf(rule({ fault: latency(200) }), rule({ fault: latency(50) })), 1),
    ).toEqual([250]);
    const long = rule({ fault: latency(LATENCY_MAX_MS) });
    expect(delays(faultsOf(long, long, long), 1)).toEqual([LATENCY_MAX_MS]);
  });

  it('give the fault of the first that is met, after the latency of any', () => {
    const faults = faultsOf(rule({ rate: 0, fault: CUT }), rule(), rule({ fault: latency(7) }));
    expect(faults.meet('exchange')).toEqual({ latencyMs: 7, fault: DOWN });
  });

  it('that are none change nothing', () => {
    expect(faultsOf().meet('session')).toEqual(NO_FAULTS);
  });
});
