/** One test: its file, and its name as vitest has it, with ` > ` between a group and what is in it. */
export interface NamedTest {
  readonly file: string;
  readonly name: string;
}

/** `from` stands in the file exactly once. */
export interface Edit {
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

/** Something that somebody could get wrong. */
export interface Mistake {
  readonly name: string;
  /** Several where a second line of defence has to fall too before the mistake can be seen. */
  readonly edits: readonly Edit[];
}

/** A mistake, and the test that has to notice it. */
export interface PlantedBug extends Mistake {
  readonly test: NamedTest;
}
