import { expect, test } from 'vitest';
import { object, string } from './index.ts';
import { lazySerializers } from './compilers.ts';

const answer = (schema: unknown) => ({ method: 'GET', url: '/', httpStatus: '200', schema });

test('an answer has what its schema names, and nothing else', () => {
  const serialize = lazySerializers()({})(answer(object({ name: string() })));
  expect(serialize({ name: 'Tom', secret: 'x' })).toBe('{"name":"Tom"}');
});

test('a serializer is built at its first use, and once for a schema, in any application', () => {
  let reads = 0;
  const pet = new Proxy(object({ name: string() }), {
    get(schema, key) {
      reads += 1;
      return Reflect.get(schema, key) as unknown;
    },
  });
  const [first, second] = [1, 2].map(() => lazySerializers()({})(answer(pet)));
  expect(reads).toBe(0);
  expect(first?.({ name: 'Tom' })).toBe('{"name":"Tom"}');
  const once = reads;
  expect(once).toBeGreaterThan(0);
  expect(second?.({ name: 'Ann' })).toBe('{"name":"Ann"}');
  expect(reads).toBe(once);
});
