import { expect, it } from 'vitest';
import { lockName } from './records.ts';

it('the name of a lock does not tell the id that it is of', () => {
  const id = 'p1oSbWXGXLkHTHBq0Ge5pVJpNbMV6nPgvpZ9xqZVJ0u';
  expect(lockName(id)).toBe(lockName(id));
  expect(lockName(id)).not.toContain(id.slice(0, 8));
  expect(lockName(`${id}a`)).not.toBe(lockName(id));
});
