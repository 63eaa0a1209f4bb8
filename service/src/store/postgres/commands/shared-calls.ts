export interface SharedCallsLimits {
  /** The most items that share a call. */
  readonly shared: number;
  /** Calls that are under way at once; later items wait and share the next one. */
  readonly underWay: number;
}

const LIMITS: SharedCallsLimits = { shared: 256, underWay: 2 };

/**
 * Items that are added in one turn, or while earlier ones are under way, go to the database as one
 * call. One call for each would cost several times as much on both sides.
 */
export class SharedCalls<Item> {
  readonly #send: (items: readonly Item[]) => Promise<void>;
  readonly #limits: SharedCallsLimits;
  #waiting: Item[] = [];
  #underWay = 0;

  /** @param send answers every item itself, with an error too: it must not reject */
  constructor(send: (items: readonly Item[]) => Promise<void>, limits = LIMITS) {
    this.#send = send;
    this.#limits = limits;
  }

  add(item: Item): void {
    this.#waiting.push(item);
    if (this.#waiting.length === 1) queueMicrotask(() => this.#sendNext());
  }

  #sendNext(): void {
    if (this.#underWay === this.#limits.underWay || this.#waiting.length === 0) return;
    const shared = this.#waiting.splice(0, this.#limits.shared);
    this.#underWay += 1;
    void this.#send(shared).finally(() => {
      this.#underWay -= 1;
      this.#sendNext();
    });
    this.#sendNext();
  }
}
