import type { Ms } from '../../values/time.ts';
import type { WaitEnd } from '../../operate/metrics/meter.port.ts';
import type { Timer } from '../../platform/runtime.port.ts';

export interface Pauses {
  readonly timer: Timer;
  /** Between two reads of one who waits: the more wait, the longer. */
  readonly leastPause: () => Ms;
}

/** One who waits. */
export class StatusWaiter {
  readonly #pauses: Pauses;
  readonly #leave: (end: WaitEnd) => void;
  #isAwake = false;
  #hasMoved = false;
  #end: WaitEnd | null = null;
  #stopWaiting: () => void = () => undefined;

  constructor(pauses: Pauses, leave: (end: WaitEnd) => void) {
    this.#pauses = pauses;
    this.#leave = leave;
  }

  /** Its caller is gone, or the service stops. */
  get isOver(): boolean {
    return this.#end !== null;
  }

  /** What has ended it; null before. */
  get endedBy(): WaitEnd | null {
    return this.#end;
  }

  /** Resolves after `ms`, later where many wait, and sooner when it is woken. A wake before the call counts too. */
  async next(ms: Ms): Promise<void> {
    if (!this.#isAwake && !this.isOver) {
      await new Promise<void>((resolve) => {
        const { timer, leastPause } = this.#pauses;
        const cancel = timer.after(Math.max(ms, leastPause()), resolve);
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

  /** Whether the clock of the service was moved meanwhile. */
  get hasMoved(): boolean {
    return this.#hasMoved;
  }

  noteMove(): void {
    this.#hasMoved = true;
  }

  /** Gives the place free. Only the first call counts. */
  end(end: WaitEnd): void {
    if (this.#end !== null) return;
    this.#end = end;
    this.#leave(end);
    this.#stopWaiting();
  }
}
