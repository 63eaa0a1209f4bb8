/** One test: its file, and its full name in vitest, with ` > ` between group and test. */
export interface NamedTest {
  readonly file: string;
  readonly name: string;
}

/**
 * `from` must be exactly once in the file. The edited file has to pass the compiler, so a condition
 * becomes one that is always false (`services === null`), and a value that is not used any more is
 * still named (`isLaunched || !isLaunched`).
 */
export interface Edit {
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

/** A mistake that a developer could make. */
export interface Mistake {
  readonly name: string;
  /** Several edits if a second protection must be removed too before the mistake has an effect. */
  readonly edits: readonly Edit[];
}

/** A mistake, and the test that must notice it. */
export interface PlantedBug extends Mistake {
  readonly test: NamedTest;
}
