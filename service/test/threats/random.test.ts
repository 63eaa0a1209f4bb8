import { systemRandom } from '@miftah/simulator/platform';
import { describe, expect, it } from 'vitest';
import { ATTEMPT_TOKEN_BYTES, makeAttemptToken } from '../../src/attempt/attempt.ts';
import { createRandom } from '../../src/platform/runtime.ts';
import { startServiceForTest } from '../support/programs/for-test.ts';
import { LiveClient } from '../support/live/live-client.ts';
import { AMAL } from '../support/service/login.ts';
import { eachOf, times } from '../support/attacks/crowd.ts';

/** For a long run set TEST_DRAWS=1000000. */
const DRAWS = Number(process.env['TEST_DRAWS'] ?? 100_000);
const CELLS = 1000;
const STARTS = 300;

/** Pearson's chi-squared sum for equally likely cells. */
function chiSquared(counts: Readonly<Uint32Array>, draws: number): number {
  const expected = draws / counts.length;
  return counts.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
}

describe('threat 54: numbers and tokens that can be guessed', () => {
  it.each([
    ['of the service', createRandom()],
    ['of the simulator, which are the `random` of a start', systemRandom],
  ])(`${DRAWS} numbers %s are equally likely, with leading zeros`, (_, random) => {
    const counts = new Uint32Array(CELLS);
    let withZero = 0;
    for (let draw = 0; draw < DRAWS; draw += 1) {
      const digits = random.digits(6);
      const cell = Math.floor(Number(digits) / (1_000_000 / CELLS));
      counts[cell] = (counts[cell] ?? 0) + 1;
      if (digits.startsWith('0') && digits.length === 6) withZero += 1;
    }
    // 999 degrees of freedom: each bound is exceeded once in a million runs.
    expect(chiSquared(counts, DRAWS)).toBeGreaterThan(795);
    expect(chiSquared(counts, DRAWS)).toBeLessThan(1225);
    expect(withZero).toBeGreaterThan(DRAWS / 20);
  });

  it(`${DRAWS} attempt tokens have no two alike`, () => {
    const random = createRandom();
    const seen = new Set<string>();
    for (let draw = 0; draw < DRAWS; draw += 1) {
      seen.add(makeAttemptToken(random.bytes(ATTEMPT_TOKEN_BYTES)).reveal());
    }
    expect(seen.size).toBe(DRAWS);
  });

  it(`${STARTS} starts have nothing in common`, async () => {
    const client = new LiveClient({ service: await startServiceForTest() }, null);
    const started = await eachOf(times(STARTS), () => client.startPhone(AMAL));
    for (const { random, attempt_token } of started) {
      expect(random).toMatch(/^\d{6}$/);
      expect(attempt_token).toMatch(/^[\w-]{64}$/);
    }
    const pieces = started.flatMap(({ attempt_token: text }) => [
      text.slice(0, 32),
      text.slice(32),
    ]);
    expect(new Set(pieces).size).toBe(2 * STARTS);
    // Among 300 random values out of a million a few may be equal by chance.
    expect(new Set(started.map(({ random }) => random)).size).toBeGreaterThan(STARTS - 10);
  });
});
