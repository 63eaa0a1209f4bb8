/**
 * A map of limited size with two generations. A used key moves into the young generation. When that
 * has half of the capacity, the old generation is dropped as a whole, with the keys that were not
 * used since. Single keys are never deleted, because deleted entries make a full Map slow.
 */
export class BoundedTable<Value> {
  readonly #half: number;
  #young = new Map<string, Value>();
  #old: ReadonlyMap<string, Value> = new Map();

  /** @param capacity the most entries; the half that was used last is always kept */
  constructor(capacity: number) {
    this.#half = capacity / 2;
  }

  /** The value of a key. This counts as a use of the key. */
  get(key: string): Value | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const old = this.#old.get(key);
    if (old !== undefined) this.set(key, old);
    return old;
  }

  set(key: string, value: Value): void {
    if (this.#young.size >= this.#half && !this.#young.has(key)) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(key, value);
  }
}
