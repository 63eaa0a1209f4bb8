import { longestWindow } from '../../../attempt/start/push-budget.ts';
import type { AttemptId } from '../../../values/ids.ts';
import type { Digest } from '../../../values/secret.ts';
import type { PushStore, PushWish } from '../../ports/store.port.ts';
import { entry } from '../audit-rows.ts';
import type { CommandParts, SqlParts } from '../engine.ts';
import {
  all,
  attemptName,
  BUDGETS,
  type Command,
  guard,
  RowReader,
  type SqlRow,
  step,
} from '../statement.ts';

export function pushStore(parts: SqlParts): PushStore {
  const { engine, sql } = parts;
  return {
    admitPush: (wish) => engine.run(admitPush(parts, wish)),
    countPushes: async (after) => {
      const rows = await engine.read(all(sql.countPushes, { after }));
      return new Map(rows.map((row) => countOf(row)));
    },
    withdrawPush: (attemptId, personDigest) =>
      engine.run(withdrawPush(parts, attemptId, personDigest)),
  };
}

function admitPush({ sql }: CommandParts, wish: PushWish): Command<boolean> {
  const { attemptId, personDigest, otherDigests = [], client, at } = wish;
  const adoptions = otherDigests.map((other_digest) =>
    step(sql.adoptPushes, { person_digest: personDigest, other_digest }),
  );
  const admit = guard(sql.admitPush, pushValues(wish));
  return {
    steps: [...adoptions, admit],
    audit: [entry({ at, action: 'push.admitted', attemptId, personDigest, client })],
    touches: [attemptName(attemptId), BUDGETS],
    decode: (results) => results.has(admit),
  };
}

function withdrawPush(
  { sql }: CommandParts,
  attemptId: AttemptId,
  personDigest: Digest,
): Command<void> {
  return {
    steps: [step(sql.withdrawPush, { attempt_id: attemptId, person_digest: personDigest })],
    audit: [],
    touches: [BUDGETS],
    decode: () => undefined,
  };
}

/** PostgreSQL counts in 64 bits, which its driver gives as a text. */
function countOf(row: SqlRow): readonly [string, number] {
  const client = new RowReader<{ readonly client: string }>('pushes', row).text('client');
  return [client, Number(row['count'])];
}

function pushValues({ attemptId, personDigest, client, at, budget }: PushWish) {
  return {
    attempt_id: attemptId,
    person_digest: personDigest,
    client,
    at,
    counts_until: at + longestWindow(budget),
    person_windows: JSON.stringify(budget.person),
    client_quota: budget.client.quota,
    client_since: at - budget.client.lengthMs,
    service_quota: budget.service.quota,
    service_since: at - budget.service.lengthMs,
    cooling_since: at - budget.coolDownMs,
  };
}
