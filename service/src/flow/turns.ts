/**
 * Work on one attempt that must not overlap: the answer to its start and the push that overtakes it,
 * or the same browser coming back twice at once.
 */
export class Turns {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Runs after all work of the same key that was asked for before, however that ended. */
  async run<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
    const own = (this.#last.get(key) ?? Promise.resolve()).then(work);
    const settled = own.catch(() => undefined);
    this.#last.set(key, settled);
    try {
      return await own;
    } finally {
      if (this.#last.get(key) === settled) this.#last.delete(key);
    }
  }

  /** When what is under way now has ended. */
  async settled(key: string): Promise<void> {
    await this.#last.get(key);
  }
}
