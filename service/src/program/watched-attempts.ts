import type { ListedAttempt, WatchedAttempts } from '@miftah/simulator/app';
import { parseAttemptId } from '../domain/attempt-id.ts';
import { attemptAt, expiryOf, type AttemptRecord } from '../domain/attempt.ts';
import { scopeOf } from '../domain/scenario.ts';
import { collectResult } from '../flow/outcome/collect-result.ts';
import type { Ms } from '../domain/time.ts';
import type { HttpContext } from '../http/context.ts';
import type { ClientList } from '../platform/client-list.ts';
import type { Clients } from '../ports/clients.ts';
import { SIMULATED_SERVICE } from '../provider/simulated-provider.ts';
import { AttemptOrigins } from './attempt-origins.ts';
import type { AttemptRecorder } from './attempt-recorder.ts';
import { startAgain } from './start-again.ts';

interface Parts {
  readonly context: HttpContext;
  readonly clients: ClientList;
  readonly recorder: AttemptRecorder;
}

/** The attempts of the service, for tests that wait for their ends over the control API. */
export function watchedAttempts(parts: Parts): WatchedAttempts {
  const { context, clients, recorder } = parts;
  const { services, clock } = context;
  const origins = new AttemptOrigins({ store: services.store, clients, recorder });

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
      return newest.map((record) => listed(record, { clients, now }));
    },
    async find(id, scope) {
      const found = await findOf(id, scope);
      return found === null ? null : listed(found.attempt, { clients, now: clock.now() });
    },
    async stateOf(id, scope) {
      const found = await findOf(id, scope);
      if (found === null) return null;
      const now = clock.now();
      const { attempt } = await collectResult(services, found, now);
      return attemptAt(attempt, now).state;
    },
    originOf: (id, scope) => origins.of(id, scope),
    startAgain: startAgain(parts),
  };
}

/** Without names and numbers of people: whoever may see the list need not know who signs in. */
function listed(
  record: AttemptRecord,
  { clients, now }: { readonly clients: Clients; readonly now: Ms },
): ListedAttempt {
  const { attemptId: id, flow, locale, endReason: reason, createdAt } = record;
  const { state } = attemptAt(record, now);
  const expiresAt = expiryOf(record);
  const scope = scopeOf(record);
  const client = clients.find(record.client)?.name[locale] ?? null;
  const service = SIMULATED_SERVICE;
  return { id, flow, state, reason, scope, client, service, createdAt, expiresAt };
}
