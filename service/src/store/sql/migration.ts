/** One step of the schema. Once released, neither its name nor its text ever changes. */
export interface Migration {
  /** Stored in every database that has run it. */
  readonly name: string;
  readonly statements: readonly string[];
}
