import type { PushStore } from '../../src/store/ports/store.port.ts';
import type { OpenTables } from './tables.ts';

export function pushStore(tables: OpenTables): PushStore {
  return {
    admitPush: async (wish) => {
      const { pushes, attempts, audit } = tables();
      if (!pushes.admit(wish, attempts)) return false;
      const { at, attemptId, client, personDigest } = wish;
      audit.append({ at, action: 'push.admitted', attemptId, client, personDigest });
      return true;
    },
    countPushes: async (after) => tables().pushes.countAfter(after),
    withdrawPush: async (attemptId, personDigest) =>
      tables().pushes.withdraw(attemptId, personDigest),
  };
}
