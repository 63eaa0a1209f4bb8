import { describe, expect, it } from 'vitest';
import { expiryOf, type AttemptRecord } from '../attempt/attempt.ts';
import type { RetentionLimits } from '../values/retention.ts';
import { HOUR_MS, MINUTE_MS } from '../values/time.ts';
import { createMemoryStore } from '../store/index.ts';
import {
  authentication,
  redemption,
  sampleAttempt,
  sampleCall,
  SEAL,
  START,
} from '../../test/conformance/samples.ts';
import { trim } from './trim.flow.ts';

const NONE: RetentionLimits = { maxAttempts: null, maxCalls: null, callsMs: null };

/** Attempts that expire one minute after the other. */
async function storeWith(count: number, changes: Partial<AttemptRecord> = {}) {
  const store = createMemoryStore();
  const attempts = Array.from({ length: count }, (_, index) =>
    sampleAttempt({ expiresAt: START + index * MINUTE_MS, ...changes }),
  );
  for (const attempt of attempts) await store.insertAttempt(attempt);
  const kept = async () => {
    const found = await Promise.all(attempts.map((one) => store.findAttempt(one.attemptId)));
    return found.map((one) => one !== null);
  };
  return { store, attempts, kept };
}

describe('trimming', () => {
  it('does nothing without a limit', async () => {
    const { store } = await storeWith(3);
    expect(await trim(store, NONE, START + HOUR_MS)).toEqual({ attempts: 0, calls: 0 });
  });

  it('keeps the number of attempts, and removes those that expired first', async () => {
    const { store, kept } = await storeWith(5);
    const counts = await trim(store, { ...NONE, maxAttempts: 2 }, START + HOUR_MS);
    expect(counts.attempts).toBe(3);
    expect(await kept()).toEqual([false, false, false, true, true]);
  });

  it('goes on in small steps until nothing is too much', async () => {
    const { store } = await storeWith(1203);
    const counts = await trim(store, { ...NONE, maxAttempts: 2 }, START + 9000 * MINUTE_MS);
    expect(counts.attempts).toBe(1201);
  });

  it('keeps what is open, and what has expired in the last two minutes', async () => {
    const { store, attempts, kept } = await storeWith(6);
    const now = START + 4 * MINUTE_MS;
    await trim(store, { ...NONE, maxAttempts: 1 }, now);
    expect(await kept()).toEqual([false, false, true, true, true, true]);
    const last = attempts.at(-1);
    expect(last === undefined ? 0 : expiryOf(last)).toBeGreaterThan(now);
  });

  it('keeps a redemption that can be repeated', async () => {
    const { store, attempts, kept } = await storeWith(2);
    const [first] = attempts;
    if (first === undefined) return;
    const inTime = first.expiresAt - 1;
    const change = { ...authentication(first), at: inTime };
    expect(await store.authenticateAttempt(change)).not.toBeNull();
    await store.redeemAttempt(redemption(first, { at: inTime, seal: SEAL }));
    await trim(store, { ...NONE, maxAttempts: 1 }, inTime + MINUTE_MS);
    expect(await kept()).toEqual([true, true]);
  });

  it('removes calls by number and by age, whichever keeps fewer', async () => {
    const { store, attempts } = await storeWith(1, { expiresAt: START + 9 * HOUR_MS });
    const [attempt] = attempts;
    if (attempt === undefined) return;
    const { attemptId } = attempt;
    const left = async () => (await store.listCalls(attemptId)).map(({ at }) => at);
    for (const at of [1, 2, 3, 4]) await store.recordCall(sampleCall(attemptId, START + at));
    expect((await trim(store, { ...NONE, maxCalls: 3 }, START)).calls).toBe(1);
    expect(await left()).toEqual([START + 2, START + 3, START + 4]);
    const limits = { ...NONE, maxCalls: 3, callsMs: MINUTE_MS };
    expect((await trim(store, limits, START + 4 + MINUTE_MS)).calls).toBe(2);
    expect(await left()).toEqual([START + 4]);
  });
});
