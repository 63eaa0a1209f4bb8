import type { Store } from '../ports/store/index.ts';

/** No operations on data. */
const OTHERS: ReadonlySet<keyof Store> = new Set(['health', 'recover', 'close']);

type Around = (name: keyof Store, run: () => Promise<unknown>) => Promise<unknown>;

/** The same store, of which each operation on data is run by `around`, or not at all. */
export function aroundOperations(store: Store, around: Around): Store {
  return new Proxy(store, {
    get(target, name: keyof Store) {
      const operation: unknown = target[name];
      if (typeof operation !== 'function' || OTHERS.has(name)) return operation;
      return (...values: readonly unknown[]) =>
        around(name, async () => {
          const result: unknown = await Reflect.apply(operation, target, values);
          return result;
        });
    },
  });
}
