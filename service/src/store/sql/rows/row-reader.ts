import type { SqlRow } from '../statement.ts';

/**
 * Reads the values of a row and checks each one. A row that no version of this program wrote causes
 * an error instead of a guess. The error names the column but not the value, which may be an
 * identity.
 */
export class RowReader<Row extends object> {
  readonly #table: string;
  readonly #row: SqlRow;

  constructor(table: string, row: SqlRow) {
    this.#table = table;
    this.#row = row;
  }

  text(column: keyof Row & string): string {
    const value = this.#row[column];
    return typeof value === 'string' ? value : this.#refuse(column);
  }

  textOrNull(column: keyof Row & string): string | null {
    return this.#isNull(column) ? null : this.text(column);
  }

  integer(column: keyof Row & string): number {
    const value = this.#row[column];
    return Number.isSafeInteger(value) ? Number(value) : this.#refuse(column);
  }

  integerOrNull(column: keyof Row & string): number | null {
    return this.#isNull(column) ? null : this.integer(column);
  }

  parsed<Value>(column: keyof Row & string, parse: (text: string) => Value | null): Value {
    return this.accepted(column, parse(this.text(column)));
  }

  parsedOrNull<Value>(
    column: keyof Row & string,
    parse: (text: string) => Value | null,
  ): Value | null {
    return this.#isNull(column) ? null : this.parsed(column, parse);
  }

  /** The parsed value of a column. @throws Error when it could not be parsed (null) */
  accepted<Value>(column: keyof Row & string, value: Value | null): Value {
    return value ?? this.#refuse(column);
  }

  oneOf<Value extends string>(column: keyof Row & string, allowed: readonly Value[]): Value {
    const text = this.text(column);
    return allowed.find((value) => value === text) ?? this.#refuse(column);
  }

  id<Id extends number>(column: keyof Row & string, parse: (value: number) => Id | null): Id {
    return parse(this.integer(column)) ?? this.#refuse(column);
  }

  idOrNull<Id extends number>(
    column: keyof Row & string,
    parse: (value: number) => Id | null,
  ): Id | null {
    return this.#isNull(column) ? null : this.id(column, parse);
  }

  #isNull(column: string): boolean {
    return this.#row[column] === null;
  }

  #refuse(column: string): never {
    throw new Error(`a row of ${this.#table} has no valid ${column}`);
  }
}
