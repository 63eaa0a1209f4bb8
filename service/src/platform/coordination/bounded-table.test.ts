import { expect, it } from 'vitest';
import { ownCost } from '../../../test/support/attacks/cost.ts';
import { BoundedTable } from './memory-coordination.ts';

/** Times the cost of an empty table. Searches that walk cost hundreds of times as much. */
const MOST = 20;

function fill(table: BoundedTable<number>, name: string, count: number): void {
  for (let other = 0; other < count; other += 1) table.set(`${name} ${other}`, other);
}

it('keeps what was used among the latest half of its capacity', () => {
  const table = new BoundedTable<number>(100);
  table.set('hot', 1);
  for (const name of ['first', 'second', 'third']) {
    fill(table, name, 50);
    expect(table.get('hot')).toBe(1);
  }
});

it('forgets a key that its whole capacity of others has come after', () => {
  const table = new BoundedTable<number>(100);
  table.set('cold', 1);
  fill(table, 'other', 100);
  expect(table.get('cold')).toBeUndefined();
});

const newKey = (count: number) => `new ${count}`;

function costOf(table: BoundedTable<number>, keyOf: (count: number) => string): number {
  return ownCost(() => {
    for (let count = 0; count < 40_000; count += 1) {
      const key = keyOf(count);
      table.set(key, (table.get(key) ?? 0) + 1);
    }
  });
}

// Deleting and inserting again leaves deleted entries in a Map, and every search for its first key
// walks over them: 60 to 130 µs per request in a full table, and a quarter of a second for a few.
it.each<[string, (count: number) => string]>([
  ['new keys', newKey],
  ['one busy key', () => 'other 5'],
])('is as fast when it is full: %s', (_, keyOf) => {
  const full = new BoundedTable<number>(100_000);
  fill(full, 'other', 99_000);
  const empty = costOf(new BoundedTable<number>(100_000), newKey);
  expect(costOf(full, keyOf)).toBeLessThan(MOST * empty);
});
