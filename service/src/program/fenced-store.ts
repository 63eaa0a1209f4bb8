import type { Store } from '../ports/store/index.ts';
import { aroundOperations } from './around-operations.ts';
import type { InstanceRoster } from './instance-roster.ts';

/**
 * The same store, of which each operation is refused unless this instance has compared its keys with
 * those of the others not long ago: an instance that was cut off must not write with a key that they
 * have left.
 */
export function fencedByRoster(store: Store, roster: InstanceRoster): Store {
  return aroundOperations(store, async (_, run) => {
    await roster.requireCompared();
    return run();
  });
}
