import type { Admission } from '../attempt/start/start-attempt.flow.ts';
import type { AttemptId } from '../values/ids.ts';
import type { Clock } from '../platform/runtime.port.ts';
import type { AttemptStore, Store } from '../store/ports/store.port.ts';
import type { Tracer } from './tracing/tracer.port.ts';

interface Observers {
  /** Told after a change of an attempt's status was written. */
  readonly onStatusChange: (attemptId: AttemptId) => void;
  /** Knows how long starts take. */
  readonly admission: Pick<Admission, 'enterStore'>;
  readonly clock: Clock;
  readonly tracer: Tracer | null;
}

/** The same store, of which others are told what they need to know. */
export function observedStore(store: Store, observers: Observers): Store {
  const { tracer, admission, clock, onStatusChange } = observers;
  const inner = tracer === null ? store : tracedStore(store, tracer);
  return {
    ...inner,
    insertAttempt: (...given) =>
      inner.insertAttempt(...given).finally(admission.enterStore(clock.now())),
    by: (act) => observedStore(store.by(act), observers),
    ...withNews(inner, onStatusChange),
  };
}

/** The changes after which the status of an attempt may read otherwise. */
type StatusChanges = Pick<
  AttemptStore,
  | 'authenticateAttempt'
  | 'rejectAttempt'
  | 'failAttempt'
  | 'cancelAttempt'
  | 'countWrongCode'
  | 'spoilAttempt'
  | 'expirePush'
>;

function withNews(store: Store, tell: Observers['onStatusChange']): StatusChanges {
  async function after<Result>(attemptId: AttemptId, change: Promise<Result>): Promise<Result> {
    const result = await change;
    tell(attemptId);
    return result;
  }
  return {
    authenticateAttempt: (change) => after(change.attemptId, store.authenticateAttempt(change)),
    rejectAttempt: (change) => after(change.attemptId, store.rejectAttempt(change)),
    failAttempt: (change) => after(change.attemptId, store.failAttempt(change)),
    cancelAttempt: (change) => after(change.attemptId, store.cancelAttempt(change)),
    countWrongCode: (attemptId, at) => after(attemptId, store.countWrongCode(attemptId, at)),
    expirePush: (attemptId, at) => after(attemptId, store.expirePush(attemptId, at)),
    spoilAttempt: (attemptId, at) => after(attemptId, store.spoilAttempt(attemptId, at)),
  };
}

/** No operations on data. */
const OTHERS: ReadonlySet<keyof Store> = new Set(['by', 'health', 'recover', 'close']);

/** Each operation on data is a span of its request. */
function tracedStore(store: Store, tracer: Tracer): Store {
  return new Proxy(store, {
    get(target, name: keyof Store) {
      const operation: unknown = target[name];
      if (typeof operation !== 'function' || OTHERS.has(name)) return operation;
      return (...values: readonly unknown[]) =>
        tracer.storeCall(name, async () => {
          const result: unknown = await Reflect.apply(operation, target, values);
          return result;
        });
    },
  });
}
