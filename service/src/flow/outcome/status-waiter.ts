import type { Ms } from '../../domain/time.ts';
import type { WaitEnd } from '../../ports/meter.ts';
import type { Timer } from '../../ports/runtime.ts';

/** One who waits. */
export class StatusWaiter {
  readonly #timer: Timer;
  readonly #leave: (end: WaitEnd) => void;
  #isAwake = false;
  #end: WaitEnd | null = null;
  #stopWaiting: () => void = () => undefined;

  constructor(timer: Timer, leave: (end: WaitEnd) => void) {
    this.#timer = timer;
    this.#leave = leave;
  }

  /** Its caller is gone, or the service stops. */
  get isOver(): boolean {
    return this.#end !== null;
  }

  /** Why it is over; null before. */
  get ended(): WaitEnd | null {
    return this.#end;
  }

  /** Resolves after `ms`, or sooner when it is woken. A wake before the call counts too. */
  async next(ms: Ms): Promise<void> {
    if (!this.#isAwake && !this.isOver) {
      await new Promise<void>((resolve) => {
        const cancel = this.#timer.after(ms, resolve);
        this.#stopWaiting = () => {
          cancel();
          resolve();
        };
      });
    }
    this.#isAwake = false;
  }

  wake(): void {
    this.#isAwake = true;
    this.#stopWaiting();
  }

  /** Gives the place free. Only the first call counts. */
  end(end: WaitEnd): void {
    if (this.#end !== null) return;
    this.#end = end;
    this.#leave(end);
    this.#stopWaiting();
  }
}
