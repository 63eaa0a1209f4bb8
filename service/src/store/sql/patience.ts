import type { Timer } from '../../platform/runtime.port.ts';
import type { Ms } from '../../values/time.ts';

/** How long after the end of a commit for which somebody waits the next one is expected. */
export const PATIENCE_MS: Ms = 100;

/**
 * Whether patient commands wait for the commit of others. They do while others come: a commit of
 * their own would be one that a request has to wait for. Where nobody else writes they are not
 * held, so what has piled up is not slowed.
 */
export class Patience {
  #timer: Timer | null;
  readonly #onEnd: () => void;
  #isOn = false;
  /** Batches for which somebody waits. */
  #underWay = 0;
  #cancel: () => void = () => undefined;

  /**
   * @param timer null where commits cost nothing
   * @param onEnd is called when what waits has waited long enough
   */
  constructor(timer: Timer | null, onEnd: () => void) {
    this.#timer = timer;
    this.#onEnd = onEnd;
  }

  /** To be called with each batch that is sent. */
  noteSent(batch: readonly Patient[]): void {
    if (this.#timer === null || batch.every(isHeldBack)) return;
    this.#underWay += 1;
    this.#isOn = true;
    this.#cancel();
  }

  /** To be called with each batch that was sent, when it has its result, also a failure. */
  noteSettled(batch: readonly Patient[]): void {
    if (this.#timer === null || batch.every(isHeldBack)) return;
    this.#underWay -= 1;
    if (this.#underWay > 0) return;
    this.#cancel = this.#timer.after(PATIENCE_MS, () => this.#end());
  }

  /** Whether nothing that waits is to be sent yet. */
  holds(waiting: readonly Patient[]): boolean {
    return this.#isOn && waiting.every(isHeldBack);
  }

  /** Sends what waits now, and holds nothing from then on. */
  close(): void {
    this.#timer = null;
    this.#cancel();
    this.#end();
  }

  #end(): void {
    this.#isOn = false;
    this.#onEnd();
  }
}

interface Patient {
  readonly isPatient: boolean;
}

const isHeldBack = ({ isPatient }: Patient) => isPatient;
