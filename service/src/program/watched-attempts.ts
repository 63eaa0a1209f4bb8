import type { WatchedAttempts } from '@miftah/simulator/app';
import { parseAttemptId } from '../domain/attempt-id.ts';
import { attemptAt, expiryOf, type AttemptRecord } from '../domain/attempt.ts';
import { scopeOf } from '../domain/scenario.ts';
import { collectResult, type CollectServices } from '../flow/outcome/collect-result.ts';
import type { Ms } from '../domain/time.ts';
import type { Clock } from '../ports/runtime.ts';

/** The attempts of the service, for tests that wait for their ends over the control API. */
export function watchedAttempts(services: CollectServices, clock: Clock): WatchedAttempts {
  async function findOf(id: string, scope: string) {
    const attemptId = parseAttemptId(id);
    const found = attemptId === null ? null : await services.store.findAttempt(attemptId);
    return found === null || scopeOf(found.attempt) !== scope ? null : found;
  }

  return {
    async list(scope, { limit, before }) {
      const now = clock.now();
      const id = before === null ? null : parseAttemptId(before);
      if (before !== null && id === null) return null;
      const newest = await services.store.newestAttempts(limit, scope, id);
      return newest.map((record) => listed(record, now));
    },
    async find(id, scope) {
      const found = await findOf(id, scope);
      return found === null ? null : listed(found.attempt, clock.now());
    },
    async stateOf(id, scope) {
      const found = await findOf(id, scope);
      if (found === null) return null;
      const now = clock.now();
      const { attempt } = await collectResult(services, found, now);
      return attemptAt(attempt, now).state;
    },
  };
}

/** Without names and numbers of people: whoever may see the list need not know who signs in. */
function listed(record: AttemptRecord, now: Ms) {
  const { attemptId: id, flow, client, endReason: reason, createdAt } = record;
  const { state } = attemptAt(record, now);
  const expiresAt = expiryOf(record);
  const scope = scopeOf(record);
  return { id, flow, state, reason, scope, client, service: null, createdAt, expiresAt };
}
