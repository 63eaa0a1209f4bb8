/**
 * One fault of `npm run faults`. A new one is a file of this shape and an entry in `index.ts`; its
 * figures are then written to docs/reliability.md by themselves.
 */
export interface FaultRun<Option extends string = string> {
  /** For `--only`, and the name of the file with its figures. Lower case and hyphens. */
  readonly name: string;
  /** What happens to the service, as the page names it. */
  readonly fault: string;
  /** What must hold, in a few words. The whole promise is in the first table of the page. */
  readonly promise: string;
  /** The numbers that the command line can change, with those of a long run. */
  readonly options: Readonly<Record<Option, number>>;
  /** Names of planted bugs (service/test/planted/) whose test runs this fault in its short form. */
  readonly planted: readonly string[];
  /** @throws Error when the run could not be finished; then no figures are written. */
  run(task: FaultTask<Option>): Promise<FaultOutcome | NotRun>;
}

export interface FaultTask<Option extends string = string> {
  readonly options: Readonly<Record<Option, number>>;
  /** A run with the same seed makes the same random choices. */
  readonly seed: number;
  readonly say: (line: string) => void;
}

export interface FaultOutcome {
  /** How often the fault was caused. */
  readonly cycles: number;
  /** What the cycles were, where they differ, for the page. */
  readonly kinds?: string;
  /** Attempts whose start was answered with 200. Null: the run does not count them. */
  readonly acknowledged: number | null;
  /** API tokens that were issued. */
  readonly tokens: number | null;
  /** The slowest time from the fault until the service was ready again. Null: not measured. */
  readonly recoveryMs: number | null;
  /** Everything that was lost, and every answer that was wrong. */
  readonly faults: readonly string[];
  /** What the same run found in a service that was made worse on purpose, for the page. */
  readonly worse?: string;
  /** Whatever else was counted, to be printed. */
  readonly figures: object;
}

/** The fault can't be caused on this machine. */
export interface NotRun {
  readonly notRun: string;
}
