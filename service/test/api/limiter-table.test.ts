import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { createMemoryCoordination } from '../../src/platform/coordination/memory-coordination.ts';

const KEYS = 1_000_000;
const NOW = 1_800_000_000_000;
/** A full table needs some 15 MB; a map of a million keys needs over 100 MB. */
const MOST_GROWTH_BYTES = 64 * 1024 * 1024;

const START = { name: 'start', quota: 20 };
const HOT = { name: 'status', quota: 120 };

it('a million addresses leave a small table, and the one in constant use is counted right', async () => {
  const { requestLimits: limiter } = createMemoryCoordination();
  const before = heapInUse();
  let allowed = 0;
  for (let count = 0; count < KEYS; count += 1) {
    await limiter.consume(START, `2001:db8:${count.toString(16)}::/64`, NOW);
    if (count % 1000 !== 0) continue;
    if ((await limiter.consume(HOT, 'an attempt', NOW)).allowed) allowed += 1;
  }
  expect(heapInUse() - before).toBeLessThan(MOST_GROWTH_BYTES);
  expect(allowed).toBe(HOT.quota);
  // Used once more, so that the table can't be collected earlier.
  expect((await limiter.consume(HOT, 'an attempt', NOW)).allowed).toBe(false);
});

/** The heap after a garbage collection, so that only retained memory is counted. */
function heapInUse(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  return getHeapStatistics().used_heap_size;
}
