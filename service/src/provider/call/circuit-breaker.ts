import { Refusal } from '../../domain/errors/refusal.ts';
import { SECOND_MS, secondsUntil, type Ms } from '../../domain/time.ts';
import type { Clock } from '../../ports/runtime.ts';

export interface BreakerLimits {
  /** Outages in a row that open it. */
  readonly outages: number;
  /** How long it stays open before one call may look again. */
  readonly probeIntervalMs: Ms;
}

export const BREAKER_LIMITS: BreakerLimits = { outages: 5, probeIntervalMs: 5 * SECOND_MS };

/** Whether a call met an outage, as opposed to an answer of whatever kind. */
export type CallEnd = 'answered' | 'outage';

/**
 * Stops asking a provider that is down, so that neither our callers nor the provider's recovery
 * wait for calls that can't succeed. When the pause is over exactly one call goes through as a
 * probe; what it meets decides for everybody. Libraries for this keep their own time, so this one
 * is ours.
 */
export class CircuitBreaker {
  readonly #limits: BreakerLimits;
  readonly #clock: Clock;
  #outages = 0;
  /** Null while calls go through. */
  #openUntil: Ms | null = null;
  #probing = false;

  constructor(limits: BreakerLimits, clock: Clock) {
    this.#limits = limits;
    this.#clock = clock;
  }

  /**
   * Runs a call unless the breaker is open. `endOf` tells what the result means for others.
   * @throws Refusal `provider.unavailable` without running the call
   */
  async run<Result>(
    call: () => Promise<Result>,
    endOf: (result: Result) => CallEnd,
  ): Promise<Result> {
    const isProbe = this.#enter();
    let end: CallEnd = 'outage';
    try {
      const result = await call();
      end = endOf(result);
      return result;
    } finally {
      this.#leave(isProbe, end);
    }
  }

  #enter(): boolean {
    if (this.#openUntil === null) return false;
    const waitSeconds = secondsUntil(this.#openUntil, this.#clock.now());
    if (waitSeconds > 0 || this.#probing) {
      const retryAfterSeconds = Math.max(1, waitSeconds);
      throw new Refusal('provider.unavailable', { retryAfterSeconds, isUnsent: true });
    }
    this.#probing = true;
    return true;
  }

  #leave(isProbe: boolean, end: CallEnd): void {
    // A call from before the opening ends after it: the probe alone decides then.
    if (!isProbe && this.#openUntil !== null) return;
    this.#probing = false;
    this.#outages = end === 'answered' ? 0 : this.#outages + 1;
    const isOpen = end === 'outage' && (isProbe || this.#outages >= this.#limits.outages);
    this.#openUntil = isOpen ? this.#clock.now() + this.#limits.probeIntervalMs : null;
  }
}
