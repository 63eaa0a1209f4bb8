import { randomFillSync, randomInt } from 'node:crypto';
import type { Random } from './runtime.port.ts';

/**
 * Read from the system in one call and used for many small requests: a start needs some 70 bytes.
 */
const POOL_BYTES = 8 * 1024;

export function createRandom(): Random {
  const pool = Buffer.alloc(POOL_BYTES);
  let used = POOL_BYTES;

  function refill(): void {
    randomFillSync(pool);
    used = 0;
  }

  return {
    bytes(length) {
      if (length > POOL_BYTES - used) refill();
      const taken = new Uint8Array(pool.subarray(used, used + length));
      // Bytes that were handed out must not stay readable in the pool.
      pool.fill(0, used, used + length);
      used += length;
      return taken;
    },
    digits: (length) => String(randomInt(10 ** length)).padStart(length, '0'),
  };
}
