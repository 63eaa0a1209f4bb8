import type { Store } from '../ports/store/index.ts';
import type { KeyRoster } from './key-roster.ts';

/** No operations on data. */
const ALWAYS: ReadonlySet<keyof Store> = new Set(['health', 'recover', 'close']);

/** The same store, of which each operation is refused unless the keys were compared not long ago. */
export function whileCompared(store: Store, roster: KeyRoster): Store {
  return new Proxy(store, {
    get(target, name: keyof Store) {
      const operation: unknown = target[name];
      if (typeof operation !== 'function' || ALWAYS.has(name)) return operation;
      return async (...values: readonly unknown[]) => {
        await roster.requireCompared();
        const result: unknown = await Reflect.apply(operation, target, values);
        return result;
      };
    },
  });
}
