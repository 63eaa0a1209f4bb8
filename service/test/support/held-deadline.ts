import { systemTimer, type Timer } from '@miftah/simulator/platform';
import { vi } from 'vitest';

/** The deadline of every call in a test; on a busy machine too a call is answered long before it. */
export const DEADLINE_MS = 240_000;

/**
 * The deadline of calls comes when the test calls what is returned here. With a deadline of some
 * milliseconds a slow machine would end calls that have to be answered, or that have not been sent.
 */
export function holdDeadline(deadlineMs = DEADLINE_MS): () => void {
  const realTimeout = AbortSignal.timeout.bind(AbortSignal);
  const deadlines: AbortController[] = [];
  vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
    if (ms !== deadlineMs) return realTimeout(ms);
    const deadline = new AbortController();
    deadlines.push(deadline);
    return deadline.signal;
  });
  return () => {
    if (deadlines.length === 0) throw new Error('no call has a deadline');
    for (const deadline of deadlines) deadline.abort(new DOMException('late', 'TimeoutError'));
  };
}

/** The timer of a simulator: when that begins to wait for so long, the deadline comes. */
export function timerPastDeadline(lateMs: number): Timer {
  const deadlineComes = holdDeadline();
  return {
    ...systemTimer,
    async sleep(ms, signal) {
      if (ms === lateMs) deadlineComes();
      return systemTimer.sleep(ms, signal);
    },
  };
}
