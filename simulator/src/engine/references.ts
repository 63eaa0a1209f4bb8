import type { ReferenceBlocks } from './ports.ts';

/** How many numbers one durable reservation covers, and so how many a crash can lose. */
export const REFERENCE_BLOCK = 1000;

/** The first reference of a new installation, of the size that a provider in daily use has. */
export const FIRST_REFERENCE = 4_180_001;

/**
 * The increasing numbers of error records. One durable write reserves a whole block; a process that
 * dies leaves a gap, but no number is repeated.
 */
export class References {
  readonly #blocks: ReferenceBlocks;
  #next = 0;
  #end = 0;

  constructor(blocks: ReferenceBlocks) {
    this.#blocks = blocks;
  }

  next(): number {
    if (this.#next === this.#end) this.#open();
    const reference = this.#next;
    this.#next += 1;
    return reference;
  }

  #open(): void {
    const first = this.#blocks.reserve(REFERENCE_BLOCK);
    this.#next = first;
    this.#end = first + REFERENCE_BLOCK;
  }
}

/** Numbers that start again with each process: for tests, and where nothing may be written. */
export function blocksInMemory(first = FIRST_REFERENCE): ReferenceBlocks {
  let next = first;
  return {
    reserve(count) {
      const reserved = next;
      next += count;
      return reserved;
    },
  };
}
