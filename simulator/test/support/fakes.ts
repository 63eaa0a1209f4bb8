import { createHash } from 'node:crypto';
import type { Clock, Ms, Random } from '../../src/engine/ports.ts';

export const START: Ms = Date.UTC(2026, 0, 31, 9, 5, 0, 250);

/** Resolves after everything that can be done now has been done. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** A clock that moves only when told to. */
export class FakeClock implements Clock {
  #now: Ms;

  constructor(now: Ms = START) {
    this.#now = now;
  }

  now(): Ms {
    return this.#now;
  }

  advance(ms: Ms): void {
    this.#now += ms;
  }
}

/** Pseudo-random values, the same in every run with the same seed. */
export class SeededRandom implements Random {
  readonly #seed: string;
  #count = 0;

  constructor(seed = 'miftah') {
    this.#seed = seed;
  }

  bytes(count: number): Uint8Array {
    const blocks = Array.from({ length: Math.ceil(count / 32) }, () => this.#block());
    return Buffer.concat(blocks).subarray(0, count);
  }

  digits(count: number): string {
    return Array.from(this.bytes(count), (byte) => byte % 10).join('');
  }

  uuid(): string {
    const hex = Buffer.from(this.bytes(16)).toString('hex');
    const groups = [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`];
    return [...groups, `8${hex.slice(17, 20)}`, hex.slice(20)].join('-');
  }

  #block(): Buffer {
    this.#count += 1;
    return createHash('sha256').update(`${this.#seed} ${this.#count}`).digest();
  }
}
