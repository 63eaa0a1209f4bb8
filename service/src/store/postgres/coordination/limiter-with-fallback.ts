import { Refusal } from '../../../errors/refusal.ts';
import type { RatePolicy, RateStanding } from '../../../values/limits.ts';
import type { Ms } from '../../../values/time.ts';
import type {
  OwnRateLimiter,
  RateLimiter,
} from '../../../platform/coordination/coordination.port.ts';
import type { Timer } from '../../../platform/runtime.port.ts';

export interface LimiterWithFallbackOptions {
  readonly shared: RateLimiter;
  /** Counts for this instance alone while the shared one does not answer. */
  readonly own: OwnRateLimiter;
  readonly timer: Timer;
  /** How long a request waits for the shared limiter. */
  readonly deadlineMs: Ms;
  /** Gets a sentence when the database is needed and does not answer, and when it does again. */
  readonly onWarning: (text: string) => void;
}

const LATE = Symbol('late');

/**
 * Limits without which no request is served. While the database can't be reached, each instance
 * counts by itself, on from what it knows. A call that is late is not cancelled, because that would
 * end its connection, which others use; until it ends, nobody else waits for the database either.
 */
export class LimiterWithFallback implements RateLimiter {
  readonly #options: LimiterWithFallbackOptions;
  #late = 0;
  #isAlone = false;

  constructor(options: LimiterWithFallbackOptions) {
    this.#options = options;
  }

  async consume(policy: RatePolicy, key: string, now: Ms): Promise<RateStanding> {
    const { shared, own } = this.#options;
    const standing = await this.#orNone(() => shared.consume(policy, key, now));
    return standing === null ? own.consume(policy, key, now) : own.noteShared(standing, key, now);
  }

  async peek(policy: RatePolicy, key: string, now: Ms): Promise<RateStanding> {
    const { shared, own } = this.#options;
    return (await this.#orNone(() => shared.peek(policy, key, now))) ?? own.peek(policy, key, now);
  }

  /** Null while the shared limiter can't be asked. */
  async #orNone(ask: () => Promise<RateStanding>): Promise<RateStanding | null> {
    if (this.#late > 0) return null;
    try {
      const standing = await this.#inTime(ask());
      if (standing !== LATE) {
        this.#note(false);
        return standing;
      }
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
    }
    this.#note(true);
    return null;
  }

  #inTime(answer: Promise<RateStanding>): Promise<RateStanding | typeof LATE> {
    return new Promise((resolve, reject) => {
      let isLate = false;
      const stopWaiting = this.#afterDeadline(() => {
        isLate = true;
        this.#late += 1;
        resolve(LATE);
      });
      const end = () => {
        stopWaiting();
        if (isLate) this.#late -= 1;
      };
      answer.finally(end).then(resolve, reject);
    });
  }

  /**
   * A process that was busy runs its timers before it reads what has arrived meanwhile. So after
   * the deadline it gets one more turn to read the answer.
   */
  #afterDeadline(work: () => void): () => void {
    const { timer, deadlineMs } = this.#options;
    let cancel = timer.after(deadlineMs, () => {
      cancel = timer.after(1, work);
    });
    return () => cancel();
  }

  #note(isAlone: boolean): void {
    if (this.#isAlone === isAlone) return;
    this.#isAlone = isAlone;
    this.#options.onWarning(
      isAlone
        ? 'the database does not answer: this instance counts requests by itself'
        : 'the database answers again: all instances count requests together',
    );
  }
}
