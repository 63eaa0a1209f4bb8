import type { Coordination } from './coordination.port.ts';
import { MemoryAttemptLock } from './memory-attempt-lock.ts';
import { MemoryNotifier } from './memory-notifier.ts';
import { MemoryNotes } from './memory-notes.ts';
import { MemoryRateLimiter } from './memory-rate-limiter.ts';
import { MemoryStatusPolls } from './memory-status-polls.ts';

/** The most entries of a table. A full table of windows needs up to 16 MB. */
const CAPACITY = { windows: 100_000, pushes: 20_000, notes: 20_000 };

/** For a service with one process: a restart loses everything. */
export function createMemoryCoordination({ windows, pushes, notes } = CAPACITY): Coordination {
  return {
    requestLimits: new MemoryRateLimiter(windows),
    unknownIds: new MemoryRateLimiter(windows),
    attemptLock: new MemoryAttemptLock(),
    statusPolls: new MemoryStatusPolls(pushes),
    notes: new MemoryNotes(notes),
    notifier: new MemoryNotifier(),
    readTime: null,
  };
}
