import type { Timer } from '../../platform/runtime.port.ts';
import type { Ms } from '../../values/time.ts';

/** How long after a commit for which somebody waits the next one is expected. */
export const PATIENCE_MS: Ms = 100;

/**
 * Whether patient commands wait for the commit of others. They do while others come: a commit of
 * their own would be one that a request has to wait for. Where nobody else writes they wait for
 * nothing, so what has piled up is not slowed.
 */
export class Patience {
  #timer: Timer | null;
  readonly #onEnd: () => void;
  #isOn = false;
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
  note(batch: readonly Patient[]): void {
    if (this.#timer === null || batch.every(({ isPatient }) => isPatient)) return;
    this.#cancel();
    this.#isOn = true;
    this.#cancel = this.#timer.after(PATIENCE_MS, () => this.#end());
  }

  /** Whether nothing that waits is to be sent yet. */
  holds(waiting: readonly Patient[]): boolean {
    return this.#isOn && waiting.every(({ isPatient }) => isPatient);
  }

  /** Nothing waits any more. */
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
