import type { Clock, Ms } from '../engine/ports.ts';

const WINDOW_MS: Ms = 60_000;
const MOST_OF_ADDRESS = 10;
/** It also bounds the memory: each wrong code adds one address at most. */
const MOST_OF_INSTANCE = 300;

/** Counts the wrong codes of a minute, of each address and of all together. */
export class WrongCodes {
  readonly #clock: Clock;
  #startedAt: Ms = 0;
  #all = 0;
  #byAddress = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @returns after how long this address may try again; 0: now */
  waitMs(address: string): Ms {
    const now = this.#clock.now();
    const isOver = now < this.#startedAt || now - this.#startedAt >= WINDOW_MS;
    if (isOver) this.#begin(now);
    const isFull =
      this.#all >= MOST_OF_INSTANCE || (this.#byAddress.get(address) ?? 0) >= MOST_OF_ADDRESS;
    return isFull ? this.#startedAt + WINDOW_MS - now : 0;
  }

  /** One more of an address that `waitMs` has just let try. */
  count(address: string): void {
    this.#all += 1;
    this.#byAddress.set(address, (this.#byAddress.get(address) ?? 0) + 1);
  }

  #begin(now: Ms): void {
    this.#startedAt = now;
    this.#all = 0;
    this.#byAddress = new Map();
  }
}
