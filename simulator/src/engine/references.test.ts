import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { blocksInMemory, FIRST_REFERENCE, REFERENCE_BLOCK, References } from './references.ts';

describe('references', () => {
  it('begin at a realistic number and go up by one', () => {
    const references = new References(blocksInMemory());
    expect([references.next(), references.next()]).toEqual([FIRST_REFERENCE, FIRST_REFERENCE + 1]);
  });

  it('strictly increase, whenever the process is killed', () => {
    const lives = fc.array(fc.integer({ min: 0, max: 3 * REFERENCE_BLOCK }), { maxLength: 8 });
    fc.assert(
      fc.property(lives, (counts) => {
        // The reservation survives the process; the rest of its block is lost.
        const disk = blocksInMemory();
        let last = 0;
        for (const count of counts) {
          const references = new References(disk);
          for (let i = 0; i < count; i += 1) {
            const next = references.next();
            if (next <= last) return false;
            last = next;
          }
        }
        return true;
      }),
    );
  });

  it('pay one reservation for a whole block', () => {
    const disk = blocksInMemory();
    let reservations = 0;
    const counted = {
      reserve(count: number) {
        reservations += 1;
        return disk.reserve(count);
      },
    };
    const references = new References(counted);
    for (let i = 0; i < REFERENCE_BLOCK; i += 1) references.next();
    expect(reservations).toBe(1);
    references.next();
    expect(reservations).toBe(2);
  });
});
