import { hash } from 'node:crypto';
import { RATE_WINDOW_MS, type RatePolicy } from '../domain/limits.ts';
import { secondsUntil, type Ms } from '../domain/time.ts';
import type { RateLimiter } from '../ports/runtime.ts';

/** About 10 MB when full. */
const DEFAULT_CAPACITY = 100_000;
/** An address or an id is shorter; longer keys are hashed, so that none fills the table alone. */
const LONGEST_KEY = 64;

interface Window {
  readonly endsAt: Ms;
  count: number;
}

/**
 * Fixed windows in a bounded table of two generations. A key that is used moves into the young one;
 * when that has its half of the capacity, the old one goes as a whole, with the keys that nobody has
 * used since. Nothing is ever deleted from a Map: the holes would make it slow just when it is full.
 */
export function createRateLimiter(capacity = DEFAULT_CAPACITY): RateLimiter {
  let young = new Map<string, Window>();
  let old: ReadonlyMap<string, Window> = new Map();

  function windowOf(key: string, now: Ms): Window {
    const known = young.get(key) ?? old.get(key);
    const open = known !== undefined && now < known.endsAt;
    const window = open ? known : { endsAt: now + RATE_WINDOW_MS, count: 0 };
    if (young.size >= capacity / 2 && !young.has(key)) {
      old = young;
      young = new Map();
    }
    young.set(key, window);
    return window;
  }

  return {
    consume(policy: RatePolicy, key: string, now: Ms) {
      const window = windowOf(`${policy.name} ${boundedKey(key)}`, now);
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

function boundedKey(key: string): string {
  return key.length > LONGEST_KEY ? hash('sha256', key, 'base64url') : key;
}
