import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createScheduler } from './scheduler.ts';

const INTERVAL_MS = 1000;
const failTest = (error: unknown) => expect.unreachable(String(error));

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('work that is repeated', () => {
  it('runs once an interval, not at once', async () => {
    const work = vi.fn(async () => undefined);
    createScheduler(failTest).every(INTERVAL_MS, work);
    await vi.advanceTimersByTimeAsync(INTERVAL_MS - 1);
    expect(work).toHaveBeenCalledTimes(0);
    await vi.advanceTimersByTimeAsync(1 + 2 * INTERVAL_MS);
    expect(work).toHaveBeenCalledTimes(3);
  });

  it('never overlaps with itself', async () => {
    let running = 0;
    let most = 0;
    const releases: (() => void)[] = [];
    const work = async () => {
      running += 1;
      most = Math.max(most, running);
      const { promise, resolve } = Promise.withResolvers<void>();
      releases.push(resolve);
      await promise;
      running -= 1;
    };
    createScheduler(failTest).every(INTERVAL_MS, work);
    await vi.advanceTimersByTimeAsync(5 * INTERVAL_MS);
    expect(releases).toHaveLength(1);
    for (let run = 0; run < 3; run += 1) {
      releases[run]?.();
      await vi.advanceTimersByTimeAsync(INTERVAL_MS);
    }
    expect(most).toBe(1);
    expect(releases).toHaveLength(4);
  });

  it('goes on after a run that failed, and says so', async () => {
    const failures: unknown[] = [];
    const fault = new Error('the first');
    const work = vi.fn(async () => undefined).mockRejectedValueOnce(fault);
    createScheduler((error) => failures.push(error)).every(INTERVAL_MS, work);
    await vi.advanceTimersByTimeAsync(3 * INTERVAL_MS);
    expect(failures).toEqual([fault]);
    expect(work).toHaveBeenCalledTimes(3);
  });

  it('stops, and waits for the run that is under way, and for no other', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const work = vi.fn(() => promise);
    const repeated = createScheduler(failTest).every(INTERVAL_MS, work);
    await vi.advanceTimersByTimeAsync(5 * INTERVAL_MS);
    let stopped = false;
    const stopping = repeated.stop().then(() => (stopped = true));
    await vi.advanceTimersByTimeAsync(10 * INTERVAL_MS);
    expect(stopped).toBe(false);
    resolve();
    await stopping;
    expect(work).toHaveBeenCalledTimes(1);
  });
});
