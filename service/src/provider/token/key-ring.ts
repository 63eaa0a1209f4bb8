import type { CryptoKey } from 'jose';
import { Refusal } from '../../domain/errors/refusal.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS, type Ms } from '../../domain/time.ts';
import type { SigningKey } from './signing-keys.ts';
import { TokenFault } from './token-fault.ts';

/** After this the set is read again before it is used. */
const FRESH_MS = 10 * MINUTE_MS;
/** While it can't be read, the old one is good for this long. */
const STALE_MS = 24 * HOUR_MS;
/** Between two reads that failed, or that a strange kid asked for. */
const COOL_DOWN_MS = 30 * SECOND_MS;
const FAILURE_PAUSE_MS = 5 * SECOND_MS;

/**
 * The provider's signing keys.
 *
 * - K-1: any number of calls at once share one read of the set.
 * - K-2: a kid that is not in the set leads to one read, then to none for 30 seconds: a rotation
 *   just before a signature is met, a flood of invented kids is not passed on.
 * - K-3: when the set can't be read the old keys stay, up to a day.
 * - K-4: without a kid there must be exactly one key; of two keys of one kid neither is used.
 */
export class KeyRing {
  readonly #read: () => Promise<readonly SigningKey[]>;
  #keys: readonly SigningKey[] = [];
  #readAt: Ms = -Infinity;
  #failedAt: Ms = -Infinity;
  #strangerAt: Ms = -Infinity;
  #reading: Promise<Refusal | null> | null = null;

  /** `read` rejects with a Refusal when the set can't be had. */
  constructor(read: () => Promise<readonly SigningKey[]>) {
    this.#read = read;
  }

  /** @throws TokenFault for a kid that is not the provider's; Refusal when nobody can tell */
  async find(kid: string | null, now: Ms): Promise<CryptoKey> {
    if (now - this.#readAt >= FRESH_MS) await this.#renew(now);
    const known = this.#match(kid) ?? (await this.#matchAfterRotation(kid, now));
    if (known === null) throw new TokenFault('kid unknown');
    return known;
  }

  async #renew(now: Ms): Promise<void> {
    const isPaused = now - this.#failedAt < FAILURE_PAUSE_MS && this.#reading === null;
    const refusal = isPaused ? unavailable() : await this.#readOnce(now);
    if (refusal !== null && now - this.#readAt >= STALE_MS) throw refusal;
  }

  async #matchAfterRotation(kid: string | null, now: Ms): Promise<CryptoKey | null> {
    if (kid === null) return null;
    const isCooling = now - this.#strangerAt < COOL_DOWN_MS && this.#reading === null;
    if (isCooling) {
      // The read that this kid would have asked for failed: a later one may know it.
      const hasFailed = this.#failedAt >= this.#strangerAt && this.#failedAt > this.#readAt;
      if (hasFailed) throw unavailable();
      return null;
    }
    if (this.#reading === null) this.#strangerAt = now;
    const refusal = await this.#readOnce(now);
    if (refusal !== null) throw refusal;
    return this.#match(kid);
  }

  #match(kid: string | null): CryptoKey | null {
    const fitting = kid === null ? this.#keys : this.#keys.filter((one) => one.kid === kid);
    const [only] = fitting;
    return fitting.length === 1 && only !== undefined ? only.key : null;
  }

  async #readOnce(now: Ms): Promise<Refusal | null> {
    this.#reading ??= this.#readSet(now).finally(() => (this.#reading = null));
    return this.#reading;
  }

  async #readSet(now: Ms): Promise<Refusal | null> {
    try {
      this.#keys = await this.#read();
      this.#readAt = now;
      return null;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.#failedAt = now;
      return error;
    }
  }
}

function unavailable(): Refusal {
  const retryAfterSeconds = FAILURE_PAUSE_MS / SECOND_MS;
  const cause = new Error('identity provider: signing keys not available');
  return new Refusal('provider.unavailable', { retryAfterSeconds, cause });
}
