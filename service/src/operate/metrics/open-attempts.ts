import { ATTEMPT_LIFETIME_MS } from '../../attempt/attempt.ts';
import type { Flow } from '../../attempt/flow.ts';
import { type Ms, SECOND_MS } from '../../values/time.ts';
import type { MeteredAttempt } from './meter.port.ts';

type Counts = Record<Flow, number>;

/**
 * Counts the attempts that expire. Nothing happens in the service when an attempt expires, so the
 * attempts that this process has started and that have not ended are counted for each second of
 * their start; what is left of a second when its attempts have expired is their number. No id is
 * kept, and there are at most as many entries as an attempt's lifetime has seconds.
 *
 * Attempts of before a restart are not counted.
 */
export class OpenAttempts {
  readonly #seconds = new Map<number, Counts>();
  readonly #onExpired: (flow: Flow, count: number) => void;

  constructor(onExpired: (flow: Flow, count: number) => void) {
    this.#onExpired = onExpired;
  }

  begin({ flow, createdAt }: MeteredAttempt): void {
    this.expireUntil(createdAt);
    const second = secondOf(createdAt);
    const counts = this.#seconds.get(second) ?? { oidc: 0, mfa: 0 };
    counts[flow] += 1;
    this.#seconds.set(second, counts);
  }

  /** The attempt was redeemed, rejected, or has failed. */
  end({ flow, createdAt }: MeteredAttempt): void {
    const counts = this.#seconds.get(secondOf(createdAt));
    if (counts !== undefined && counts[flow] > 0) counts[flow] -= 1;
  }

  expireUntil(now: Ms): void {
    for (const [second, counts] of this.#seconds) {
      if (now < (second + 1) * SECOND_MS + ATTEMPT_LIFETIME_MS) return;
      this.#seconds.delete(second);
      this.#onExpired('oidc', counts.oidc);
      this.#onExpired('mfa', counts.mfa);
    }
  }
}

function secondOf(time: Ms): number {
  return Math.floor(time / SECOND_MS);
}
