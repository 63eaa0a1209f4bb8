/** What the engine needs from outside. All of it is passed in, so that tests can control it. */

/** Milliseconds since 1970-01-01T00:00:00Z, an integer. */
export type Ms = number;

export interface Clock {
  now(): Ms;
}

export interface Random {
  bytes(count: number): Uint8Array;
  /** Decimal digits, each equally likely; leading zeros are kept. */
  digits(count: number): string;
  /** RFC 9562, lower case with hyphens. */
  uuid(): string;
}

/** Stores the numbers of error records, so that no process repeats another process's numbers. */
export interface ReferenceBlocks {
  /**
   * Reserves `count` numbers for the caller and returns the first. The reservation is durable
   * before this returns; numbers that the caller does not use are never given again.
   */
  reserve(count: number): number;
}
