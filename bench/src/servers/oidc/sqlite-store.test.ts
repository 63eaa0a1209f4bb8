import { expect, it } from 'vitest';
import { SqliteEntities } from './sqlite-store.ts';

const INSERT = 'INSERT INTO entities (model, id, payload) VALUES (?, ?, ?)';

it('a failed commit leaves nothing behind, and the next one works', async () => {
  const entities = new SqliteEntities(':memory:');
  const insert = (id: string) => entities.write(INSERT, ['Session', id, '{}']);
  await insert('1');
  const both = await Promise.allSettled([insert('2'), insert('1')]);
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(entities.read('SELECT id FROM entities WHERE id = ?', ['2'])).toBeUndefined();
  await insert('3');
});
