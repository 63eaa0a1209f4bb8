import type { Digest } from '../values/secret.ts';
import { OperatorRefusal, type Visit } from './visit.ts';

/** The scans of one session: the one that runs, or waits for others, and its next one. */
const MOST_OF_SESSION = 2;

/** Asked before each step of a scan: whether somebody still waits for the page. */
export type GoesOn = () => Promise<boolean>;

/**
 * The reads of an instance that look at many rows to show a few. SQLite answers them in the thread
 * that serves the sign-ins, so one runs at a time, and other requests have their turn between steps.
 */
export class Scans {
  readonly #pause: () => Promise<void>;
  readonly #counts = new Map<Digest, number>();
  #last: Promise<unknown> = Promise.resolve();

  constructor(pause: () => Promise<void>) {
    this.#pause = pause;
  }

  /** @throws OperatorRefusal `busy` where the session has enough of them */
  async run<Found>(
    { session: { id }, reply: { raw } }: Pick<Visit, 'session' | 'reply'>,
    scan: (goesOn: GoesOn) => Promise<Found>,
  ): Promise<Found> {
    const count = this.#counts.get(id) ?? 0;
    if (count >= MOST_OF_SESSION) throw new OperatorRefusal('busy');
    this.#counts.set(id, count + 1);
    const goesOn = async () => {
      await this.#pause();
      return !raw.destroyed;
    };
    const found = this.#last.then(() => scan(goesOn));
    this.#last = found.catch(() => undefined);
    try {
      return await found;
    } finally {
      const left = (this.#counts.get(id) ?? 1) - 1;
      if (left === 0) this.#counts.delete(id);
      else this.#counts.set(id, left);
    }
  }
}
