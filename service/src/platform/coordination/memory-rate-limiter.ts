import { hash } from 'node:crypto';
import { RATE_WINDOW_MS, type RatePolicy } from '../../values/limits.ts';
import { isDue, secondsUntil, type Ms } from '../../values/time.ts';
import type { RateLimiter, RateStanding } from './coordination.port.ts';
import { BoundedTable } from './bounded-table.ts';

/** Addresses and ids are shorter. Longer keys are hashed, so that they can't fill the memory. */
const LONGEST_KEY = 64;

interface Window {
  readonly endsAt: Ms;
  count: number;
}

/**
 * The windows of one process. No method awaits anything before it has counted, so calls can't
 * interleave.
 */
export class MemoryRateLimiter implements RateLimiter {
  readonly #windows: BoundedTable<Window>;

  /** @param capacity windows at most */
  constructor(capacity: number) {
    this.#windows = new BoundedTable(capacity);
  }

  async consume(policy: RatePolicy, key: string, now: Ms): Promise<RateStanding> {
    const name = nameOf(policy, key);
    const window = this.#openWindow(name, now) ?? this.#begin(name, now);
    const allowed = window.count < policy.quota;
    if (allowed) window.count += 1;
    return { ...standingOf(policy, window, now), allowed };
  }

  async peek(policy: RatePolicy, key: string, now: Ms): Promise<RateStanding> {
    const window = this.#openWindow(nameOf(policy, key), now);
    return standingOf(policy, window ?? newWindow(now), now);
  }

  #openWindow(name: string, now: Ms): Window | null {
    const known = this.#windows.get(name);
    return known === undefined || isDue(known.endsAt, RATE_WINDOW_MS, now) ? null : known;
  }

  #begin(name: string, now: Ms): Window {
    const window = newWindow(now);
    this.#windows.set(name, window);
    return window;
  }
}

function newWindow(now: Ms): Window {
  return { endsAt: now + RATE_WINDOW_MS, count: 0 };
}

function standingOf(policy: RatePolicy, { endsAt, count }: Window, now: Ms): RateStanding {
  const remaining = policy.quota - count;
  const resetSeconds = Math.max(1, secondsUntil(endsAt, now));
  return { policy, allowed: remaining > 0, remaining, resetSeconds };
}

function nameOf(policy: RatePolicy, key: string): string {
  const bounded = key.length > LONGEST_KEY ? hash('sha256', key, 'base64url') : key;
  return `${policy.name} ${bounded}`;
}
