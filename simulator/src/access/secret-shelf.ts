import { createHash, timingSafeEqual } from 'node:crypto';
import type { Clock, Ms } from '../engine/ports.ts';

export interface ShelfLimits {
  /** How long a secret is good. */
  readonly lifetimeMs: Ms;
  /** When one more is added, the oldest is forgotten. */
  readonly most: number;
}

interface StoredSecret<Value> {
  readonly digest: Buffer;
  readonly madeAt: Ms;
  readonly value: Value;
}

/** A few secrets, each with something that belongs to it. Only their digests are kept. */
export class SecretShelf<Value> {
  readonly #clock: Clock;
  readonly #limits: ShelfLimits;
  #kept: readonly StoredSecret<Value>[] = [];

  constructor(clock: Clock, limits: ShelfLimits) {
    this.#clock = clock;
    this.#limits = limits;
  }

  /** @returns until when it is good, and what had to be forgotten for it */
  add(secret: string, value: Value): { readonly until: Ms; readonly forgotten: readonly Value[] } {
    const now = this.#clock.now();
    const { most, lifetimeMs } = this.#limits;
    const all = [...this.#good(now), { digest: digestOf(secret), madeAt: now, value }];
    this.#kept = all.slice(-most);
    const forgotten = all.slice(0, -most).map((one) => one.value);
    return { until: now + lifetimeMs, forgotten };
  }

  /**
   * Compares with all of them in the same way, so that the time tells nothing. @returns null for a
   * secret that is not here, or not good any more
   */
  find(secret: string): Value | null {
    return this.#match(secret)?.value ?? null;
  }

  /** Like `find`, and forgets the secret. */
  take(secret: string): Value | null {
    const found = this.#match(secret);
    this.#kept = this.#kept.filter((one) => one !== found);
    return found?.value ?? null;
  }

  /** Forgets all but one. @returns what belonged to those that were forgotten */
  clear(except: Value | null = null): readonly Value[] {
    const gone = this.#kept.filter(({ value }) => value !== except);
    this.#kept = this.#kept.filter(({ value }) => value === except);
    return gone.map(({ value }) => value);
  }

  #match(secret: string): StoredSecret<Value> | null {
    const digest = digestOf(secret);
    const now = this.#clock.now();
    // What was too old once stays so, also when the clock goes back.
    this.#kept = this.#kept.filter(({ madeAt }) => now - madeAt < this.#limits.lifetimeMs);
    let found: StoredSecret<Value> | null = null;
    for (const one of this.#good(now)) {
      if (timingSafeEqual(one.digest, digest)) found = one;
    }
    return found;
  }

  /** A secret that was made later than now was made before the clock was set back. */
  #good(now: Ms): readonly StoredSecret<Value>[] {
    const { lifetimeMs } = this.#limits;
    return this.#kept.filter(({ madeAt }) => now >= madeAt && now - madeAt < lifetimeMs);
  }
}

function digestOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}
