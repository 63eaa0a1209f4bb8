import { expect, test } from 'vitest';
import { RATE_WINDOW_MS } from '../../src/values/limits.ts';
import type { Ms } from '../../src/values/time.ts';
import type { RateLimiter } from '../../src/platform/coordination/coordination.port.ts';
import { START } from './samples.ts';
import { withCoordination, type OpenCoordination } from './coordination-under-test.ts';

const POLICY = { name: 'start', quota: 3 };
const OTHER_POLICY = { name: 'token', quota: 3 };
const RACERS = 64;
const OTHERS = 2000;

type UseLimiters = (one: RateLimiter, other: RateLimiter) => Promise<void>;
type WithLimiters = (use: UseLimiters) => Promise<void>;

export function rateLimiterTests(
  open: OpenCoordination,
  name: 'requestLimits' | 'unknownIds',
): void {
  const withLimiters: WithLimiters = (use) =>
    withCoordination(open, (one, other) => use(one[name], other[name]));
  quotaTests(withLimiters);
  keyTests(withLimiters);
  memoryTests(withLimiters);
}

/** Makes as many calls as the quota allows, one after another, and then one more. */
async function consumeAll(limiter: RateLimiter, key: string, at: Ms = START) {
  const standings = [];
  for (let count = 0; count <= POLICY.quota; count += 1) {
    standings.push(await limiter.consume(POLICY, key, at));
  }
  return standings;
}

function quotaTests(withLimiters: WithLimiters): void {
  test('L-10, L-11: the quota is allowed, then nothing until the window has ended', () =>
    withLimiters(async (limiter) => {
      const standings = await consumeAll(limiter, 'a');
      expect(standings.map(({ allowed }) => allowed)).toEqual([true, true, true, false]);
      expect(standings.map(({ remaining }) => remaining)).toEqual([2, 1, 0, 0]);
      const at = (ms: Ms) => limiter.consume(POLICY, 'a', START + ms);
      expect((await at(RATE_WINDOW_MS - 1)).allowed).toBe(false);
      expect(await at(RATE_WINDOW_MS)).toMatchObject({ allowed: true, remaining: 2 });
    }));

  test('L-11: no later call moves the end of the window', () =>
    withLimiters(async (limiter) => {
      const endAt = async (ms: Ms) => (await limiter.consume(POLICY, 'a', START + ms)).endsAt;
      expect(await endAt(0)).toBe(START + RATE_WINDOW_MS);
      expect(await endAt(RATE_WINDOW_MS - 10_000)).toBe(START + RATE_WINDOW_MS);
      expect(await endAt(RATE_WINDOW_MS - 1)).toBe(START + RATE_WINDOW_MS);
    }));

  test('L-1, L-10: one instance sees what another one has counted', () =>
    withLimiters(async (one, other) => {
      await consumeAll(one, 'a');
      expect((await other.consume(POLICY, 'a', START)).allowed).toBe(false);
      expect((await other.peek(POLICY, 'a', START)).allowed).toBe(false);
    }));

  test(`L-10, L-13: ${RACERS} calls at once, at two instances: the quota, and one takes the last place`, () =>
    withLimiters(async (one, other) => {
      const policy = { name: 'start', quota: 20 };
      const calls = Array.from({ length: RACERS }, (_, index) =>
        (index % 2 === 0 ? one : other).consume(policy, 'a', START),
      );
      const allowed = (await Promise.all(calls)).filter((standing) => standing.allowed);
      const places = allowed.map(({ remaining }) => remaining).toSorted((a, b) => a - b);
      expect(places).toEqual(Array.from({ length: policy.quota }, (_, place) => place));
    }));

  test('L-14: a look takes nothing, and begins no window', () =>
    withLimiters(async (limiter) => {
      const untouched = { allowed: true, remaining: POLICY.quota };
      for (let look = 0; look <= POLICY.quota; look += 1) {
        expect(await limiter.peek(POLICY, 'a', START)).toMatchObject(untouched);
      }
      const later = START + RATE_WINDOW_MS / 2;
      expect((await limiter.consume(POLICY, 'a', later)).endsAt).toBe(later + RATE_WINDOW_MS);
      expect(await limiter.peek(POLICY, 'a', later)).toMatchObject({ remaining: 2 });
      await consumeAll(limiter, 'a', later);
      expect(await limiter.peek(POLICY, 'a', later)).toMatchObject({
        allowed: false,
        remaining: 0,
      });
      expect(await limiter.peek(POLICY, 'a', later + RATE_WINDOW_MS)).toMatchObject(untouched);
    }));
}

function keyTests(withLimiters: WithLimiters): void {
  test('L-12: each key and each policy is counted by itself', () =>
    withLimiters(async (limiter) => {
      await consumeAll(limiter, 'a');
      expect((await limiter.consume(POLICY, 'b', START)).allowed).toBe(true);
      expect((await limiter.consume(OTHER_POLICY, 'a', START)).allowed).toBe(true);
      expect((await limiter.consume(POLICY, 'a', START)).allowed).toBe(false);
    }));

  test('L-12: long keys are apart to their last character', () =>
    withLimiters(async (limiter) => {
      const long = 'x'.repeat(10_000);
      await consumeAll(limiter, `${long}1`);
      expect((await limiter.consume(POLICY, `${long}1`, START)).allowed).toBe(false);
      expect((await limiter.consume(POLICY, `${long}2`, START)).allowed).toBe(true);
    }));
}

function memoryTests(withLimiters: WithLimiters): void {
  test('L-15: a key in constant use is counted on, beside any number of others', () =>
    withLimiters(async (limiter) => {
      await consumeAll(limiter, 'hot');
      for (let other = 0; other < OTHERS; other += 1) {
        await limiter.consume(POLICY, `other ${other}`, START);
        if (other % 20 !== 0) continue;
        expect((await limiter.consume(POLICY, 'hot', START)).allowed).toBe(false);
      }
    }));
}
