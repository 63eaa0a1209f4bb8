import { createHash } from 'node:crypto';
import { SEED_LIMIT } from '../engine/outcomes/faults.ts';

const BYTES_OF_NUMBER = Uint32Array.BYTES_PER_ELEMENT;

/**
 * The chance of one person of a population. The numbers are those of SHA-256 of `{seed}:{n}:{block}`,
 * four bytes each, the first one highest, and the blocks are counted from 0. Any language can
 * calculate them, and a person depends on no other one.
 */
export class Draws {
  readonly #name: string;
  #block = 0;
  #bytes = Buffer.alloc(0);

  constructor(seed: number, person: number) {
    this.#name = `${seed}:${person}`;
  }

  /** A whole number of at least 0 and less than `limit`. */
  below(limit: number): number {
    return Math.floor((this.#next() / SEED_LIMIT) * limit);
  }

  oneOf<Value>(values: readonly Value[]): Value {
    const found = values[this.below(values.length)];
    if (found === undefined) throw new Error('nothing to choose from');
    return found;
  }

  /** One of those with shares of a thousand, which together are one thousand. */
  byShare<Value>(shares: ReadonlyArray<readonly [value: Value, share: number]>): Value {
    let left = this.below(THOUSAND);
    for (const [value, share] of shares) {
      if (left < share) return value;
      left -= share;
    }
    throw new Error('the shares are less than a thousand');
  }

  #next(): number {
    if (this.#bytes.length === 0) {
      this.#bytes = createHash('sha256').update(`${this.#name}:${this.#block}`).digest();
      this.#block += 1;
    }
    const number = this.#bytes.readUInt32BE(0);
    this.#bytes = this.#bytes.subarray(BYTES_OF_NUMBER);
    return number;
  }
}

const THOUSAND = 1000;
