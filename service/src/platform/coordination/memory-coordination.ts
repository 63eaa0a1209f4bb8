import type { Coordination } from '../../ports/coordination.ts';
import { MemoryAttemptLock } from './memory-attempt-lock.ts';
import { MemoryRateLimiter } from './memory-rate-limiter.ts';
import { MemoryStatusPolls } from './memory-status-polls.ts';

/** How many entries a table has at most. About 10 MB of windows when full. */
const CAPACITY = { windows: 100_000, pushes: 20_000 };

/** For a service that is one process: a restart forgets all of it. */
export function createMemoryCoordination({ windows, pushes } = CAPACITY): Coordination {
  return {
    requestLimits: new MemoryRateLimiter(windows),
    unknownIds: new MemoryRateLimiter(windows),
    attemptLock: new MemoryAttemptLock(),
    statusPolls: new MemoryStatusPolls(pushes),
  };
}
