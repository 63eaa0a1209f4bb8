import { Refusal } from '../../errors/refusal.ts';
import { isDue, SECOND_MS, secondsUntil, type Ms } from '../../values/time.ts';
import type { Clock } from '../../platform/runtime.port.ts';

export interface BreakerLimits {
  /** This many outages in a row open the breaker. */
  readonly outages: number;
  /** How long the breaker stays open before one call may probe the provider. */
  readonly probeIntervalMs: Ms;
}

export const BREAKER_LIMITS: BreakerLimits = { outages: 5, probeIntervalMs: 5 * SECOND_MS };

/** Whether a call met an outage, or got any answer. */
export type CallEnd = 'answered' | 'outage';

/**
 * Stops calls to a provider that is down, so that our callers do not wait for calls that can't
 * succeed and the provider can recover. After a pause exactly one call goes through as a probe, and
 * its result closes or reopens the breaker. Libraries for this use their own clock; ours is a
 * parameter.
 */
export class CircuitBreaker {
  readonly #limits: BreakerLimits;
  readonly #clock: Clock;
  readonly #onChange: (isOpen: boolean) => void;
  #outages = 0;
  /** Null while the breaker is closed and calls go through. */
  #openUntil: Ms | null = null;
  #probing = false;

  /** @param onChange gets true when calls begin to be refused, false when they go through again */
  constructor(
    limits: BreakerLimits,
    clock: Clock,
    onChange: (isOpen: boolean) => void = () => undefined,
  ) {
    this.#limits = limits;
    this.#clock = clock;
    this.#onChange = onChange;
  }

  /**
   * Runs a call unless the breaker is open.
   * @param endOf tells from the result whether the call met an outage
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
    const now = this.#clock.now();
    const waitSeconds = secondsUntil(this.#openUntil, now);
    if (!isDue(this.#openUntil, this.#limits.probeIntervalMs, now) || this.#probing) {
      const retryAfterSeconds = Math.max(1, waitSeconds);
      throw new Refusal('provider.unavailable', { retryAfterSeconds, isUnsent: true });
    }
    this.#probing = true;
    return true;
  }

  #leave(isProbe: boolean, end: CallEnd): void {
    // This call started before the breaker opened: only the probe decides when it closes.
    if (!isProbe && this.#openUntil !== null) return;
    this.#probing = false;
    this.#outages = end === 'answered' ? 0 : this.#outages + 1;
    const isOpen = end === 'outage' && (isProbe || this.#outages >= this.#limits.outages);
    if (isOpen !== (this.#openUntil !== null)) this.#onChange(isOpen);
    this.#openUntil = isOpen ? this.#clock.now() + this.#limits.probeIntervalMs : null;
  }
}
