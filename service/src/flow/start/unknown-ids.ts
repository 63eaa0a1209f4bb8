import { MINUTE_MS, type Ms } from '../../domain/time.ts';

/** People mistype; who meets this many unknown identifiers in a minute is trying out numbers. */
const MOST_UNKNOWN_IDS = 20;

/**
 * How many identifiers that the provider does not know each client has asked for. There are few
 * clients, and a restart forgives: the push budgets, which are kept, hold all the same.
 */
export class UnknownIds {
  readonly #windows = new Map<string, { readonly endsAt: Ms; count: number }>();

  isSpent(client: string, now: Ms): boolean {
    return this.#countOf(client, now) >= MOST_UNKNOWN_IDS;
  }

  /** True when this one was the last that is allowed. */
  add(client: string, now: Ms): boolean {
    const count = this.#countOf(client, now) + 1;
    const endsAt = count === 1 ? now + MINUTE_MS : (this.#windows.get(client)?.endsAt ?? now);
    this.#windows.set(client, { endsAt, count });
    return count === MOST_UNKNOWN_IDS;
  }

  #countOf(client: string, now: Ms): number {
    const window = this.#windows.get(client);
    return window !== undefined && now < window.endsAt ? window.count : 0;
  }
}
