/** The most items that share a call. */
const MAX_SHARED = 256;
/** Calls that are under way at once; later items wait and share the next one. */
const MAX_UNDER_WAY = 2;

/**
 * Items that are added in one turn, or while earlier ones are under way, go to the database as one
 * call. One call for each would cost several times as much on both sides.
 */
export class SharedCalls<Item> {
  readonly #send: (items: readonly Item[]) => Promise<void>;
  #waiting: Item[] = [];
  #underWay = 0;

  /** @param send answers every item itself, with an error too: it must not reject */
  constructor(send: (items: readonly Item[]) => Promise<void>) {
    this.#send = send;
  }

  add(item: Item): void {
    this.#waiting.push(item);
    if (this.#waiting.length === 1) queueMicrotask(() => this.#sendNext());
  }

  #sendNext(): void {
    if (this.#underWay === MAX_UNDER_WAY || this.#waiting.length === 0) return;
    const shared = this.#waiting.splice(0, MAX_SHARED);
    this.#underWay += 1;
    void this.#send(shared).finally(() => {
      this.#underWay -= 1;
      this.#sendNext();
    });
    this.#sendNext();
  }
}
