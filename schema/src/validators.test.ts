import { expect, test } from 'vitest';
import { object, string } from './index.ts';
import { lazyValidators } from './compilers.ts';

test('a part of a request is what its schema says, or has the errors of the last call', () => {
  const check = lazyValidators({ allErrors: true })({ schema: object({ name: string() }) });
  expect(check({ name: 1, more: 1 })).toBe(false);
  expect(check.errors?.map(({ keyword }) => keyword).toSorted()).toEqual([
    'additionalProperties',
    'type',
  ]);
  expect(check({ name: 'Tom' })).toBe(true);
  expect(check.errors).toBeNull();
});

test('a validator is compiled at its first use, and once for a schema, in any application', () => {
  let reads = 0;
  const pet = new Proxy(object({ name: string() }), {
    get(schema, key) {
      reads += 1;
      return Reflect.get(schema, key) as unknown;
    },
  });
  const validators = lazyValidators({});
  const [first, second] = [1, 2].map(() => validators({ schema: pet }));
  expect(reads).toBe(0);
  expect(first?.({ name: 'Tom' })).toBe(true);
  const once = reads;
  expect(once).toBeGreaterThan(0);
  expect(second?.({ name: 'Ann' })).toBe(true);
  expect(reads).toBe(once);
});
