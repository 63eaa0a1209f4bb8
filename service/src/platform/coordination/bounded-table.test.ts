import { expect, it } from 'vitest';
import { BoundedTable } from './bounded-table.ts';

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

// Deleting and inserting again leaves deleted entries in a Map, and every search for its first key
// walks over them: 60 to 130 µs per request in a full table, and a quarter of a second for a few.
it.each<[string, (count: number) => string]>([
  ['new keys', (count) => `new ${count}`],
  ['one busy key', () => 'other 5'],
])('is as fast when it is full: %s', (_, keyOf) => {
  const table = new BoundedTable<number>(100_000);
  fill(table, 'other', 99_000);
  const start = performance.now();
  for (let count = 0; count < 40_000; count += 1) {
    const key = keyOf(count);
    table.set(key, (table.get(key) ?? 0) + 1);
  }
  expect(performance.now() - start).toBeLessThan(1000);
});
