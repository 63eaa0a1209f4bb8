import * as fc from 'fast-check';
import { expect, it, vi } from 'vitest';
import { Refusal } from '../../../errors/refusal.ts';
import { createMemoryCoordination } from '../../../platform/coordination/memory-coordination.ts';
import type { RateLimiter } from '../../../platform/coordination/coordination.port.ts';
import type { Timer } from '../../../platform/runtime.port.ts';
import { RATE_WINDOW_MS, type RateStanding } from '../../../values/limits.ts';
import type { Ms } from '../../../values/time.ts';
import { LimiterWithFallback } from './limiter-with-fallback.ts';

const POLICY = { name: 'start', quota: 5 };
const NEVER: Timer = { after: () => () => undefined };

/** How the shared limiter is: it answers, it refuses, or it counts and the answer is lost. */
const STATES = ['answers', 'refuses', 'loses'] as const;
type State = (typeof STATES)[number];

/** One instance, whose way to what it shares with the others is as the test says. */
function openInstance(shared: RateLimiter) {
  let state: State = 'answers';
  const reached: RateLimiter = {
    async consume(...asked) {
      if (state === 'refuses') throw new Refusal('storage.unavailable');
      const standing = await shared.consume(...asked);
      if (state === 'loses') throw new Refusal('storage.unavailable');
      return standing;
    },
    peek: (...asked) => shared.peek(...asked),
  };
  const limiter = new LimiterWithFallback({
    shared: reached,
    own: createMemoryCoordination().requestLimits,
    timer: NEVER,
    deadlineMs: 1,
    onWarning: () => undefined,
  });
  return { limiter, become: (next: State) => void (state = next) };
}

interface Step {
  readonly pauseMs: Ms;
  readonly state: State;
  readonly instance: number;
}

/** A client that obeys what it was told, and is refused nowhere. @returns the last standing, and when */
async function obey(steps: readonly Step[]) {
  const { requestLimits: shared } = createMemoryCoordination();
  const instances = [openInstance(shared), openInstance(shared)];
  let now = 0;
  let told: RateStanding | null = null;
  for (const { pauseMs, state, instance } of steps) {
    now = told?.remaining === 0 ? told.endsAt : now + pauseMs;
    const chosen = instances[instance];
    chosen?.become(state);
    told = (await chosen?.limiter.consume(POLICY, 'one address', now)) ?? null;
    expect(told?.allowed).toBe(true);
  }
  return { instances, shared, now, told };
}

const stepOf = (states: readonly State[], instances: number) =>
  fc.record({
    pauseMs: fc.oneof(fc.constant(0), fc.nat(RATE_WINDOW_MS / 3)),
    state: fc.constantFrom(...states),
    instance: fc.nat(instances - 1),
  });

const walk = (instances: number) =>
  fc.array(stepOf(['answers', 'refuses'], instances), { minLength: 1, maxLength: 40 });

/** At one instance, and one answer is lost: a further call is not sent before it has come, or failed. */
const walkWithLoss = fc
  .tuple(walk(1), stepOf(['loses'], 1), walk(1))
  .map(([before, lost, after]) => [...before, lost, ...after]);

it('whoever obeys is refused by no instance, wherever the shared limiter is away', async () => {
  await fc.assert(
    fc.asyncProperty(walk(2), async (steps) => void (await obey(steps))),
    { numRuns: 300 },
  );
});

it('whoever obeys at one instance is not refused either where an answer of the shared one is lost', async () => {
  await fc.assert(
    fc.asyncProperty(walkWithLoss, async (steps) => void (await obey(steps))),
    { numRuns: 300 },
  );
});

it('while an answer is late nobody else waits for one, and afterwards all ask again', async () => {
  const answer = Promise.withResolvers<RateStanding>();
  const due: (() => void)[] = [];
  const consume = vi.fn<RateLimiter['consume']>(() => answer.promise);
  const limiter = new LimiterWithFallback({
    shared: { consume, peek: consume },
    own: createMemoryCoordination().requestLimits,
    timer: { after: (_, work) => (due.push(work), () => undefined) },
    deadlineMs: 1,
    onWarning: () => undefined,
  });
  const late = limiter.consume(POLICY, 'one address', 0);
  // The deadline, and the turn after it.
  due.shift()?.();
  due.shift()?.();
  expect(await late).toMatchObject({ allowed: true });
  const other = limiter.consume(POLICY, 'another address', 0);
  expect(consume).toHaveBeenCalledTimes(1);
  expect(await other).toMatchObject({ allowed: true });
  answer.resolve({ policy: POLICY, allowed: true, remaining: 4, endsAt: RATE_WINDOW_MS });
  await vi.waitFor(async () => {
    await limiter.consume(POLICY, 'a third address', 0);
    expect(consume).toHaveBeenCalledTimes(2);
  });
});

/** Uses up what it was told, and then asks once more. */
async function overdraw(steps: readonly Step[], state: State): Promise<void> {
  const { instances, now, told } = await obey(steps);
  const last = instances[steps.at(-1)?.instance ?? 0];
  for (let more = told?.remaining ?? 0; more > 0; more -= 1) {
    last?.become(more % 2 === 0 ? 'answers' : 'refuses');
    expect((await last?.limiter.consume(POLICY, 'one address', now))?.allowed).toBe(true);
  }
  last?.become(state);
  expect((await last?.limiter.consume(POLICY, 'one address', now))?.allowed).toBe(false);
}

it('whoever does one more than told is refused by the instance that said so', async () => {
  const state = fc.constantFrom(...STATES);
  await fc.assert(fc.asyncProperty(walkWithLoss, state, overdraw), { numRuns: 300 });
});
