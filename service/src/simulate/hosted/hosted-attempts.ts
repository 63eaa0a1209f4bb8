import type { HostedAttempt, HostedAttempts } from '@miftah/simulator/app';
import { parseAttemptId } from '../../attempt/attempt-id.ts';
import { attemptAt, expiryOf, type AttemptRecord } from '../../attempt/attempt.ts';
import { scopeOf } from '../../attempt/scenario.ts';
import type { NationalId } from '../../account/national-id.ts';
import { collectResult } from '../../attempt/finish/collect-result.flow.ts';
import type { Ms } from '../../values/time.ts';
import type { UserId } from '../../account/user.ts';
import type { Clients } from '../../account/clients.port.ts';
import type { UserStore } from '../../store/ports/users.port.ts';
import { SIMULATED_SERVICE } from '../simulated-provider.ts';
import { AttemptOrigins } from './attempt-origins.ts';
import { replayAttempt, type HostedParts } from './replay-attempt.ts';

/** The attempts of the service, for the control API of the simulator in this process. */
export function hostedAttempts(parts: HostedParts): HostedAttempts {
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
      const numbers = await numbersOf(services.store, newest);
      return newest.map((record) => listed(record, { clients, now, numbers }));
    },
    async find(id, scope) {
      const found = await findOf(id, scope);
      if (found === null) return null;
      const numbers = await numbersOf(services.store, [found.attempt]);
      return listed(found.attempt, { clients, now: clock.now(), numbers });
    },
    async stateOf(id, scope) {
      const found = await findOf(id, scope);
      if (found === null) return null;
      const now = clock.now();
      const { attempt } = await collectResult(services, found, now);
      return attemptAt(attempt, now).state;
    },
    originOf: (id, scope) => origins.of(id, scope),
    replay: replayAttempt(parts),
  };
}

/** The national ids of who has signed in: a list has the same few people again and again. */
type Numbers = ReadonlyMap<UserId, NationalId>;

async function numbersOf(
  store: Pick<UserStore, 'findUser'>,
  records: readonly AttemptRecord[],
): Promise<Numbers> {
  const ids = new Set(records.map(({ userId }) => userId).filter((id) => id !== null));
  const users = await Promise.all([...ids].map((id) => store.findUser(id)));
  const found = users.filter((user) => user !== null);
  return new Map(found.map(({ id, nationalId }) => [id, nationalId]));
}

interface Known {
  readonly clients: Clients;
  readonly now: Ms;
  readonly numbers: Numbers;
}

function listed(record: AttemptRecord, { clients, now, numbers }: Known): HostedAttempt {
  const { attemptId: id, flow, endReason: reason, createdAt } = record;
  const { state } = attemptAt(record, now);
  const expiresAt = expiryOf(record);
  const scope = scopeOf(record);
  const client = clients.find(record.client)?.name ?? null;
  const service = SIMULATED_SERVICE;
  const signedIn = record.userId === null ? null : (numbers.get(record.userId) ?? null);
  const nationalId = signedIn ?? record.nationalId;
  return { id, flow, state, reason, scope, client, service, createdAt, expiresAt, nationalId };
}
