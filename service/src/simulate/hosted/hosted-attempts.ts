import type { HostedAttempt, HostedAttempts, SignInOrigin } from '@miftah/simulator/app';
import { parseAttemptId, type AttemptId } from '../../values/ids.ts';
import { attemptAt, expiryOf, type AttemptRecord } from '../../attempt/attempt.ts';
import { scopeOf } from '../../attempt/scenario.ts';
import type { NationalId, UserId } from '../../account/user.ts';
import { collectResult } from '../../attempt/read-attempt.flow.ts';
import type { Ms } from '../../values/time.ts';
import { BoundedTable } from '../../platform/coordination/memory-coordination.ts';
import type { Clients } from '../../account/clients.port.ts';
import type { Store } from '../../store/ports/store.port.ts';
import type { UserStore } from '../../store/ports/users.port.ts';
import { SIMULATED_SERVICE } from '../simulated-prompts.ts';
import type { AttemptRecorder } from './attempt-recorder.ts';
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
    isKey: (key) => clients.ofKey(key) !== null,
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

/** The list of prompts is read four times a second while somebody looks, so the store is not. */
const MOST_KNOWN = 2000;

/** What of an attempt never changes. */
interface KnownOrigin {
  readonly scope: string;
  readonly client: string;
}

const NOTHING: SignInOrigin = { application: null, place: null };

interface OriginParts {
  readonly store: Pick<Store, 'findAttempt'>;
  readonly clients: Clients;
  readonly recorder: AttemptRecorder;
}

/** Which application began an attempt, and where: what a phone shows beside the number. */
class AttemptOrigins {
  readonly #parts: OriginParts;
  readonly #known = new BoundedTable<KnownOrigin>(MOST_KNOWN);

  constructor(parts: OriginParts) {
    this.#parts = parts;
  }

  async of(id: string, scope: string): Promise<SignInOrigin> {
    const attemptId = parseAttemptId(id);
    const known = attemptId === null ? null : await this.#find(attemptId);
    if (known === null || known.scope !== scope) return NOTHING;
    const { clients, recorder } = this.#parts;
    const application = clients.find(known.client)?.name ?? null;
    return { application, place: recorder.addressOf(id) };
  }

  async #find(attemptId: AttemptId): Promise<KnownOrigin | null> {
    const known = this.#known.get(attemptId);
    if (known !== undefined) return known;
    const found = await this.#parts.store.findAttempt(attemptId);
    if (found === null) return null;
    const read = { scope: scopeOf(found.attempt), client: found.attempt.client };
    this.#known.set(attemptId, read);
    return read;
  }
}
