import { expect, it } from 'vitest';
import { CircuitBreaker, type CallEnd } from '../../src/provider/call/circuit-breaker.ts';
import { createFakeClock } from '../support/service/fake-clock.ts';
import { refusalOf } from '../support/provider/provider-under-test.ts';

const LIMITS = { outages: 3, probeIntervalMs: 5000 };

async function throwBug(): Promise<CallEnd> {
  throw new TypeError('bug');
}

function openBreaker() {
  const clock = createFakeClock();
  const breaker = new CircuitBreaker(LIMITS, clock);
  let runs = 0;
  const meet = async (end: CallEnd | Promise<CallEnd>): Promise<CallEnd> => {
    const call = async () => {
      runs += 1;
      return end;
    };
    return breaker.run(call, (result) => result);
  };
  const meetOften = async (times: number, end: CallEnd) => {
    for (let time = 0; time < times; time += 1) await meet(end);
  };
  return { clock, breaker, meet, meetOften, runs: () => runs };
}

it('lets calls through until outages in a row reach the limit, then none', async () => {
  const { meet, meetOften, runs } = openBreaker();
  await meetOften(2, 'outage');
  await meet('answered');
  await meetOften(3, 'outage');
  expect(runs()).toBe(6);
  const refusal = await refusalOf(meet('answered'));
  expect(refusal.code).toBe('provider.unavailable');
  expect(refusal.details.retryAfterSeconds).toBe(5);
  expect(runs()).toBe(6);
});

it('lets exactly one of a hundred through when the pause is over', async () => {
  const { clock, meet, meetOften, runs } = openBreaker();
  await meetOften(3, 'outage');
  clock.advance(LIMITS.probeIntervalMs - 1);
  await refusalOf(meet('answered'));
  clock.advance(1);
  const probe = Promise.withResolvers<CallEnd>();
  const probing = meet(probe.promise);
  const others = Array.from({ length: 99 }, async () => refusalOf(meet('answered')));
  const codes = (await Promise.all(others)).map(({ code }) => code);
  expect(new Set(codes)).toEqual(new Set(['provider.unavailable']));
  expect(runs()).toBe(4);
  probe.resolve('answered');
  await probing;
  await meetOften(10, 'answered');
  expect(runs()).toBe(14);
});

it('waits another pause after a probe that failed, and is well two pauses after the outage', async () => {
  const { clock, meet, meetOften } = openBreaker();
  await meetOften(3, 'outage');
  clock.advance(LIMITS.probeIntervalMs);
  await meet('outage');
  await refusalOf(meet('answered'));
  clock.advance(LIMITS.probeIntervalMs);
  await meet('answered');
  await meetOften(2, 'outage');
  await expect(meet('answered')).resolves.toBe('answered');
});

it('a probe that throws counts as an outage and leaves the way free for the next', async () => {
  const { clock, breaker, meet, meetOften } = openBreaker();
  await meetOften(3, 'outage');
  clock.advance(LIMITS.probeIntervalMs);
  await expect(breaker.run(throwBug, (end) => end)).rejects.toThrow('bug');
  await refusalOf(meet('answered'));
  clock.advance(LIMITS.probeIntervalMs);
  await expect(meet('answered')).resolves.toBe('answered');
});

it.each(['answered', 'outage'] as const)(
  'a call from before the opening that ends after it (%s) changes nothing',
  async (end) => {
    const { clock, meet, meetOften } = openBreaker();
    const slow = Promise.withResolvers<CallEnd>();
    const late = meet(slow.promise);
    await meetOften(3, 'outage');
    clock.advance(LIMITS.probeIntervalMs - 1);
    slow.resolve(end);
    await late;
    await refusalOf(meet('answered'));
    clock.advance(1);
    await expect(meet('answered')).resolves.toBe('answered');
  },
);
