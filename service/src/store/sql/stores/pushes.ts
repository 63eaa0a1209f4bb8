import type { PushStore } from '../../ports/store.port.ts';
import { admitPush, withdrawPush } from '../commands/pushes.ts';
import type { SqlParts } from '../engine.ts';

export function pushStore(parts: SqlParts): PushStore {
  const { engine } = parts;
  return {
    admitPush: (wish) => engine.run(admitPush(parts, wish)),
    withdrawPush: (attemptId, personDigest) =>
      engine.run(withdrawPush(parts, attemptId, personDigest)),
  };
}
