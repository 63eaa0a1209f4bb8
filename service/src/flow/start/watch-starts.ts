import type { Clock } from '../../ports/runtime.ts';
import type { Store } from '../../ports/store/index.ts';
import type { Admission } from './admission.ts';

/** The same store, of which `admission` knows how long its starts take. */
export function watchStarts(
  store: Store,
  admission: Pick<Admission, 'enterStore'>,
  clock: Clock,
): Store {
  return {
    ...store,
    insertAttempt: (attempt) =>
      store.insertAttempt(attempt).finally(admission.enterStore(clock.now())),
  };
}
