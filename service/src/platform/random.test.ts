import { afterEach, describe, expect, it, vi } from 'vitest';
import { createRandom } from './runtime.ts';

afterEach(() => vi.restoreAllMocks());

const DRAWS = 200_000;

/** Pearson's chi-squared sum for equally likely cells. */
function chiSquared(counts: readonly number[], draws: number): number {
  const expected = draws / counts.length;
  return counts.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
}

describe('digits', () => {
  it('are as many as asked for, leading zeros included', () => {
    const random = createRandom();
    for (const length of [1, 2, 6, 9]) {
      for (let draw = 0; draw < 200; draw += 1) {
        expect(random.digits(length)).toMatch(new RegExp(`^[0-9]{${length}}$`));
      }
    }
  });

  it('are equally likely at each place', () => {
    const random = createRandom();
    const counts = Array.from({ length: 6 }, () => Array.from({ length: 10 }, () => 0));
    for (let draw = 0; draw < DRAWS; draw += 1) {
      for (const [place, digit] of Array.from(random.digits(6)).entries()) {
        const cells = counts[place] ?? [];
        cells[Number(digit)] = (cells[Number(digit)] ?? 0) + 1;
      }
    }
    // Nine degrees of freedom: each bound is exceeded once in a million runs.
    for (const cells of counts) {
      expect(chiSquared(cells, DRAWS)).toBeGreaterThan(0.3);
      expect(chiSquared(cells, DRAWS)).toBeLessThan(47);
    }
  });
});

describe('bytes', () => {
  it('are as many as asked for, also more than the pool has left, or has at all', () => {
    const random = createRandom();
    for (const length of [0, 1, 10, 48, 8000, 8000, 8191, 8192]) {
      expect(random.bytes(length)).toHaveLength(length);
    }
  });

  it('never come twice', () => {
    const random = createRandom();
    const seen = new Set<string>();
    for (let draw = 0; draw < 100_000; draw += 1) {
      seen.add(Buffer.from(random.bytes(16)).toString('latin1'));
    }
    expect(seen.size).toBe(100_000);
  });

  it('are equally likely', () => {
    const random = createRandom();
    const counts = Array.from({ length: 256 }, () => 0);
    for (const byte of Array.from({ length: 50 }, () => [...random.bytes(4000)]).flat()) {
      counts[byte] = (counts[byte] ?? 0) + 1;
    }
    // 255 degrees of freedom: each bound is exceeded once in a million runs.
    expect(chiSquared(counts, DRAWS)).toBeGreaterThan(155);
    expect(chiSquared(counts, DRAWS)).toBeLessThan(375);
  });

  it('belong to the caller alone', () => {
    const random = createRandom();
    const first = random.bytes(32);
    const copy = Uint8Array.from(first);
    random.bytes(32).fill(0);
    expect(first).toEqual(copy);
    expect(first.buffer.byteLength).toBe(32);
  });

  it('are not those of another source', () => {
    const [one, other] = [createRandom(), createRandom()];
    expect(one.bytes(32)).not.toEqual(other.bytes(32));
  });
});

it('nothing of it comes from Math.random', () => {
  const guessable = vi.spyOn(Math, 'random').mockReturnValue(0.5);
  const random = createRandom();
  expect(random.bytes(32)).not.toEqual(random.bytes(32));
  expect(random.digits(9)).not.toBe(random.digits(9));
  expect(guessable).not.toHaveBeenCalled();
});
