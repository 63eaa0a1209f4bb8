import type { Coordination } from '../../ports/coordination.ts';
import { MemoryRateLimiter } from './memory-rate-limiter.ts';

/** About 10 MB when full. */
const CAPACITY = 100_000;

/**
 * For a service that is one process: a restart forgets all of it.
 * @param options.capacity keys at most, in each of the tables
 */
export function createMemoryCoordination({ capacity = CAPACITY } = {}): Coordination {
  return {
    requestLimits: new MemoryRateLimiter(capacity),
    unknownIds: new MemoryRateLimiter(capacity),
  };
}
