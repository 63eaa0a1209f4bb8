import { expect, test, vi } from 'vitest';
import { systemTimer } from './runtime.ts';

test('R-10: a timer calls its work once, and not at all when it was cancelled', () => {
  vi.useFakeTimers();
  try {
    const work = vi.fn<() => void>();
    const cancelled = vi.fn<() => void>();
    systemTimer.after(1000, work);
    systemTimer.after(1000, cancelled)();
    vi.advanceTimersByTime(999);
    expect(work).not.toHaveBeenCalled();
    vi.advanceTimersByTime(10_000);
    expect(work).toHaveBeenCalledOnce();
    expect(cancelled).not.toHaveBeenCalled();
  } finally {
    vi.useRealTimers();
  }
});
