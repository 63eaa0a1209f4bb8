import { Refusal } from '../domain/errors/refusal.ts';

/** Nobody's browser asks so often at once, and each that waits keeps its request in memory. */
const MOST_WAITING = 32;

interface Line {
  readonly last: Promise<unknown>;
  /** With the one that is under way. */
  readonly length: number;
}

/**
 * Work on one attempt that must not overlap: the answer to its start and the push that overtakes it,
 * or the same browser coming back twice at once.
 */
export class AttemptLock {
  readonly #lines = new Map<string, Line>();

  /**
   * Runs after all work of the same key that was asked for before, however that ended.
   * @throws Refusal `server.overloaded` when too much of it is waiting
   */
  async run<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
    const line = this.#lines.get(key) ?? { last: Promise.resolve(), length: 0 };
    if (line.length >= MOST_WAITING) {
      throw new Refusal('server.overloaded', { retryAfterSeconds: 1 });
    }
    const own = line.last.then(work);
    this.#lines.set(key, { last: own.catch(() => undefined), length: line.length + 1 });
    try {
      return await own;
    } finally {
      this.#leave(key);
    }
  }

  /** When what is under way now has ended. */
  async settled(key: string): Promise<void> {
    await this.#lines.get(key)?.last;
  }

  #leave(key: string): void {
    const line = this.#lines.get(key);
    if (line === undefined) return;
    if (line.length === 1) this.#lines.delete(key);
    else this.#lines.set(key, { ...line, length: line.length - 1 });
  }
}
