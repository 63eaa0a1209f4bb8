import { RATE_WINDOW_MS, type RatePolicy } from '../domain/limits.ts';
import { secondsUntil, type Ms } from '../domain/time.ts';
import type { RateLimiter } from '../ports/runtime.ts';

/** About 10 MB when full. */
const DEFAULT_CAPACITY = 100_000;

interface Window {
  readonly endsAt: Ms;
  count: number;
}

/**
 * Fixed windows in a bounded table. A Map keeps the order of insertion, so moving each used key to
 * the end makes the first key the one that was used least recently, and that one gives way.
 */
export function createRateLimiter(capacity = DEFAULT_CAPACITY): RateLimiter {
  const windows = new Map<string, Window>();

  function windowOf(key: string, now: Ms): Window {
    const known = windows.get(key);
    windows.delete(key);
    const open = known !== undefined && now < known.endsAt;
    const window = open ? known : { endsAt: now + RATE_WINDOW_MS, count: 0 };
    windows.set(key, window);
    if (windows.size > capacity) dropLeastRecent(windows);
    return window;
  }

  return {
    spend(policy: RatePolicy, key: string, now: Ms) {
      const window = windowOf(`${policy.name} ${key}`, now);
      const allowed = window.count < policy.quota;
      if (allowed) window.count += 1;
      return {
        policy,
        allowed,
        remaining: policy.quota - window.count,
        resetSeconds: Math.max(1, secondsUntil(window.endsAt, now)),
      };
    },
  };
}

function dropLeastRecent(windows: Map<string, Window>): void {
  const first = windows.keys().next();
  if (first.done !== true) windows.delete(first.value);
}
