/** One step of the schema. Once released, neither its name nor its text ever changes. */
export interface Migration {
  /** Stored in every database that has run it. */
  readonly name: string;
  readonly statements: readonly string[];
}

/**
 * Whether a migration only adds what an earlier version need not know: tables, indexes, columns that
 * may be null. Its name says so by a plus sign after the number, such as `0007+notes`, so that a
 * version that does not have it can read it in the database, and may go on.
 */
export function isAddition(name: string): boolean {
  return /^\d{4}\+/.test(name);
}
