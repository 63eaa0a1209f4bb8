import type { CryptoKey } from 'jose';
import { Refusal } from '../../errors/refusal.ts';
import { printable, type Printable } from '../../attempt/refused-token.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS, type Ms } from '../../values/time.ts';
import type { SigningKey } from './signing-keys.ts';
import { TokenFault } from './token-fault.ts';

/** After this time the key set is read again before it is used. */
const FRESH_MS = 10 * MINUTE_MS;
/** If the set can't be read, the old one may be used for this long. */
const STALE_MS = 24 * HOUR_MS;
/** Pauses between reads: after an unknown kid, and after a failed read. */
const COOL_DOWN_MS = 30 * SECOND_MS;
const FAILURE_PAUSE_MS = 5 * SECOND_MS;
/** More than the clocks of two instances differ by: one may have noted when the token came. */
const CLOCKS_APART_MS = 5 * SECOND_MS;

/**
 * The provider's signing keys.
 *
 * - K-1: any number of simultaneous calls share one read of the set.
 * - K-2: a kid that is not in the set causes one read, and then none for 30 seconds: so a rotation
 *   just before a signature is noticed, and a flood of invented kids does not reach the provider.
 *   Within these 30 seconds it is not known whether the provider has the kid: that is a lack of keys,
 *   and no fault of the token. Only a set that was read after the token came says that a kid is wrong.
 * - K-3: if the set can't be read, the old keys are used, for up to a day.
 * - K-4: a token without a kid is accepted only if there is exactly one key; if two keys have the
 *   same kid, neither is used.
 */
export class ProviderKeySet {
  readonly #read: () => Promise<readonly SigningKey[]>;
  #keys: readonly SigningKey[] = [];
  #readAt: Ms = -Infinity;
  #failedAt: Ms = -Infinity;
  #unknownKidAt: Ms = -Infinity;
  #reading: Promise<Refusal | null> | null = null;

  /** @param read rejects with a Refusal when the set can't be loaded */
  constructor(read: () => Promise<readonly SigningKey[]>) {
    this.#read = read;
  }

  /** Loads the keys unless they are there. @throws Refusal when the set can't be loaded */
  async prepare(now: Ms): Promise<void> {
    if (now - this.#readAt >= FRESH_MS) await this.#renew(now);
  }

  /**
   * @param cameAt when the token came, here or at another instance
   * @throws TokenFault for a kid that the provider does not have; Refusal while that can't be known,
   * with the time after which it can
   */
  async find(kid: string | null, now: Ms, cameAt: Ms = now): Promise<CryptoKey> {
    await this.prepare(now);
    const known = this.#match(kid) ?? (await this.#matchAfterRotation(kid, now, cameAt));
    if (known === null) throw new TokenFault('kid', 'kid unknown', { expected: this.#ids() });
    return known;
  }

  /** The ids of the keys that we have, which the provider publishes. */
  #ids(): Printable {
    return printable(this.#keys.map(({ kid }) => kid ?? 'a key without an id').join(', '));
  }

  async #renew(now: Ms): Promise<void> {
    const isPaused = now - this.#failedAt < FAILURE_PAUSE_MS && this.#reading === null;
    const refusal = isPaused ? unavailable(FAILURE_PAUSE_MS) : await this.#readOnce(now);
    if (refusal !== null && now - this.#readAt >= STALE_MS) throw refusal;
  }

  async #matchAfterRotation(kid: string | null, now: Ms, cameAt: Ms): Promise<CryptoKey | null> {
    const comesNow = cameAt >= now;
    const isSetNewer = this.#readAt >= (comesNow ? now : cameAt + CLOCKS_APART_MS);
    if (kid === null || isSetNewer) return null;
    const mayAskIn = this.#unknownKidAt + COOL_DOWN_MS - now;
    if (mayAskIn > 0 && this.#reading === null) throw unavailable(mayAskIn);
    if (this.#reading === null) this.#unknownKidAt = now;
    const refusal = await this.#readOnce(now);
    if (refusal !== null) throw refusal;
    const found = this.#match(kid);
    if (found === null && this.#readAt < now) throw unavailable(FAILURE_PAUSE_MS);
    return found;
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

function unavailable(forMs: Ms): Refusal {
  const retryAfterSeconds = Math.ceil(forMs / SECOND_MS);
  const cause = new Error('identity provider: signing keys not available');
  return new Refusal('provider.unavailable', { retryAfterSeconds, cause });
}
