import { REPLAY_WINDOW_MS } from '../attempt/redeem/idempotency.ts';
import type { Ms } from './time.ts';

/**
 * How long an attempt is kept after its expiry in any case. A redemption can be repeated in the
 * first minute, and a rejected push pauses the next one for two minutes (decision 0006).
 */
export const SHORTEST_RETENTION_MS: Ms = 2 * REPLAY_WINDOW_MS;

/** Limits beside `RETENTION`. Null: no limit. */
export interface RetentionLimits {
  /** Stored attempts, by number. */
  readonly maxAttempts: number | null;
  /** Recorded calls to the provider, by number. */
  readonly maxCalls: number | null;
  /** How long a recorded call is kept while its attempt is. */
  readonly callsMs: Ms | null;
}
