/** What the engine needs from the world. All of it is given in, so that a test can hold it still. */

/** Milliseconds since 1970-01-01T00:00:00Z, an integer. */
export type Ms = number;

export interface Clock {
  now(): Ms;
}

export interface Random {
  bytes(count: number): Uint8Array;
  /** Decimal digits, each equally likely, leading zeros included. */
  digits(count: number): string;
  /** RFC 9562, lower case with hyphens. */
  uuid(): string;
}

/** Where the numbers of error records are kept, so that no process ever repeats another's. */
export interface ReferenceBlocks {
  /**
   * Sets `count` numbers aside for the caller and returns the first of them. The reservation is
   * durable before this returns; numbers that the caller never uses are lost, not given again.
   */
  reserve(count: number): number;
}
