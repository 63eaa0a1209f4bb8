import type { AttemptId } from '../../domain/attempt-id.ts';
import type { AttemptStore, Store } from '../../ports/store/index.ts';

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

/** The same store, which calls `announce` after each change of a status was written. */
export function announceChanges(store: Store, announce: (attemptId: AttemptId) => void): Store {
  async function after<Result>(attemptId: AttemptId, change: Promise<Result>): Promise<Result> {
    const result = await change;
    announce(attemptId);
    return result;
  }
  const announced: StatusChanges = {
    authenticateAttempt: (change) => after(change.attemptId, store.authenticateAttempt(change)),
    rejectAttempt: (change) => after(change.attemptId, store.rejectAttempt(change)),
    failAttempt: (change) => after(change.attemptId, store.failAttempt(change)),
    cancelAttempt: (change) => after(change.attemptId, store.cancelAttempt(change)),
    countWrongCode: (attemptId, at) => after(attemptId, store.countWrongCode(attemptId, at)),
    expirePush: (attemptId, at) => after(attemptId, store.expirePush(attemptId, at)),
    spoilAttempt: (attemptId, at) => after(attemptId, store.spoilAttempt(attemptId, at)),
  };
  return { ...store, ...announced };
}
