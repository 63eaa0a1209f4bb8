/**
 * A map of bounded size in two generations. A key that is used moves into the young one; when that
 * has its half of the capacity, the old one goes as a whole, with the keys that nobody has used
 * since. Nothing is ever deleted from a Map: the holes would make it slow just when it is full.
 */
export class BoundedTable<Value> {
  readonly #half: number;
  #young = new Map<string, Value>();
  #old: ReadonlyMap<string, Value> = new Map();

  /** @param capacity entries at most; the latest half of them is never forgotten */
  constructor(capacity: number) {
    this.#half = capacity / 2;
  }

  /** Counts as a use of the key. */
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
