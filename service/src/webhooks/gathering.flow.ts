import type { Timer } from '../platform/runtime.port.ts';
import type { Ms } from '../values/time.ts';

/** Of a webhook that comes soon after others. One that comes alone waits for nothing. */
const GATHERED_MS: Ms = 100;

/**
 * Lets what deliveries write share commits. Each commit is one that a request may have to wait for,
 * and deliveries would make more of them than the requests whose ends they tell.
 */
export class Gathering {
  readonly #timer: Timer;
  /** Of those who wait now; null when nobody has gone on for a while. */
  #next: PromiseWithResolvers<void> | null = null;
  #isAwaited = false;
  /** How many have asked that nobody waits. */
  #hurries = 0;
  #cancel: () => void = () => undefined;

  constructor(timer: Timer) {
    this.#timer = timer;
  }

  /** Resolves for all who wait in the same turn: at its end, or a while after the ones before. */
  async turn(): Promise<void> {
    if (this.#hurries > 0) return;
    if (this.#next === null) {
      this.#next = Promise.withResolvers();
      queueMicrotask(() => this.#release());
    }
    this.#isAwaited = true;
    await this.#next.promise;
  }

  /** Nobody waits until it is done. */
  async without(work: () => Promise<void>): Promise<void> {
    this.#hurries += 1;
    this.#next?.resolve();
    try {
      await work();
    } finally {
      this.#hurries -= 1;
    }
  }

  /** Nobody waits any more. */
  end(): void {
    this.#hurries += 1;
    this.#cancel();
    this.#next?.resolve();
  }

  #release(): void {
    const next = this.#next;
    this.#next = this.#isAwaited ? Promise.withResolvers() : null;
    if (this.#isAwaited) this.#cancel = this.#timer.after(GATHERED_MS, () => this.#release());
    this.#isAwaited = false;
    next?.resolve();
  }
}
