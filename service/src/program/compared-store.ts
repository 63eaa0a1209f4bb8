import type { Store } from '../ports/store/index.ts';
import { aroundOperations } from './around-operations.ts';
import type { InstanceRoster } from './instance-roster.ts';

/** The same store, of which each operation is refused unless the keys were compared not long ago. */
export function whileCompared(store: Store, roster: InstanceRoster): Store {
  return aroundOperations(store, async (_, run) => {
    await roster.requireCompared();
    return run();
  });
}
