import type { AttemptId } from '../../attempt/attempt-id.ts';
import { Refusal } from '../../errors/refusal.ts';
import { MOST_AT_ONE_ATTEMPT } from '../../values/limits.ts';
import type { AttemptLock } from './coordination.port.ts';

interface Line {
  readonly last: Promise<unknown>;
  /** Including the running piece of work. */
  readonly length: number;
}

/**
 * A chain of promises for each attempt in work. It is lost when the process ends. It does not detect
 * nested work (L-26): that would cost every caller an AsyncLocalStorage, and no flow nests.
 */
export class MemoryAttemptLock implements AttemptLock {
  readonly #lines = new Map<AttemptId, Line>();

  async run<Result>(attemptId: AttemptId, work: () => Promise<Result>): Promise<Result> {
    const line = this.#lines.get(attemptId) ?? { last: Promise.resolve(), length: 0 };
    if (line.length >= MOST_AT_ONE_ATTEMPT) {
      throw new Refusal('server.overloaded', { retryAfterSeconds: 1 });
    }
    const own = line.last.then(work);
    this.#lines.set(attemptId, { last: own.catch(() => undefined), length: line.length + 1 });
    try {
      return await own;
    } finally {
      this.#leave(attemptId);
    }
  }

  async settled(attemptId: AttemptId): Promise<void> {
    await this.#lines.get(attemptId)?.last;
  }

  #leave(attemptId: AttemptId): void {
    const line = this.#lines.get(attemptId);
    if (line === undefined) return;
    if (line.length === 1) this.#lines.delete(attemptId);
    else this.#lines.set(attemptId, { ...line, length: line.length - 1 });
  }
}
