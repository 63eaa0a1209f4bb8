import { printable } from '../instance/printable.ts';

/** Answers by name: of a setting (`PUBLIC_URL`), or of the first application (`client.id`). */
export type Answers = Readonly<Record<string, string>>;

/** What is written, and where. */
export interface Place {
  /** Live mode against the simulator, with invented people. */
  readonly isRehearsal: boolean;
  /** Whether the unit of systemd is written too. */
  readonly hasUnit: boolean;
  /** The folder of the settings, as the service will see it. */
  readonly dir: string;
  /** What stands before every path that is written: `/`, or the root of another system. */
  readonly root: string;
}

export interface SetUpResult {
  /** What was written, with what it is. */
  readonly files: readonly (readonly [path: string, what: string])[];
  /** Of the first application. It is stored nowhere. */
  readonly clientKey: string;
  /** The commands that come next, each with what it does. */
  readonly next: readonly (readonly [command: string, what: string])[];
  /** What else has to be known. */
  readonly notes: readonly string[];
}

/** What `miftah init` works with. */
export interface SetUpTools {
  /** The folder of the settings where `--dir` names none. */
  readonly usualDir: (isRehearsal: boolean) => Promise<string>;
  /**
   * Looks at the place before anything is asked.
   * @returns answers that follow from the place
   * @throws SetUpError when something is there already
   */
  readonly begin: (place: Place) => Promise<Answers>;
  /** Why an answer can't be used; null when it can. Nothing of a secret is in it. */
  readonly faultOf: (name: string, text: string, place: Place) => Promise<string | null>;
  /** The secret in a file. @throws Error that says what to do */
  readonly readSecret: (flag: string, path: string) => Promise<string>;
  /**
   * Writes all files or none.
   * @param tell gets what was written, with the key. Signals wait until it has ended
   * @throws SetUpError with everything that keeps it from writing, and what `tell` throws
   */
  readonly write: (
    place: Place,
    answers: Answers,
    tell?: (result: SetUpResult) => Promise<void>,
  ) => Promise<SetUpResult>;
}

/** Says everything that keeps a set-up from being written, in a line for each. */
export class SetUpError extends Error {
  constructor(faults: readonly string[]) {
    super(`Nothing was written:\n  - ${faults.map(printable).join('\n  - ')}`);
    this.name = 'SetUpError';
  }
}

/** @throws SetUpError when there are faults */
export function refuse(faults: readonly string[]): void {
  if (faults.length > 0) throw new SetUpError(faults);
}
