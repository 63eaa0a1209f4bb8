import { createMemoryCoordination } from '../../../src/platform/coordination/memory-coordination.ts';
import { createRandom, systemTimer } from '../../../src/platform/runtime.ts';
import type { Coordination } from '../../../src/platform/coordination/coordination.port.ts';
import { parseDatabaseUrl } from '../../../src/store/postgres/connection-url.ts';
import {
  openPostgres,
  type PostgresInstance,
  type PostgresOptions,
} from '../../../src/store/postgres/open-postgres.ts';
import type { OpenedCoordination } from '../../conformance/coordination-under-test.ts';
import type { AtEnd } from '../at-end.ts';
import { ask } from './databases.ts';
import { CONNECT_MS, DEADLINE_MS, KeptIdentity } from './pool.ts';

type Limits = Omit<PostgresOptions['coordination'], 'own' | 'random'>;

/** A busy machine must not make a test count alone, or end a lease of work that is only slow. */
const PATIENT: Limits = { limitMs: 100_000, leaseMs: 600_000, waitMs: 100_000 };

/** One instance on the database with this URL, which ends with the test. */
export async function openInstance(
  url: string,
  atEnd: AtEnd,
  limits: Limits = PATIENT,
  options: Partial<PostgresOptions> = {},
): Promise<PostgresInstance> {
  const random = createRandom();
  const instance = openPostgres({
    address: parseDatabaseUrl(url),
    identity: new KeptIdentity(),
    timer: systemTimer,
    jitter: () => Number(random.digits(6)) / 1_000_000,
    vault: null,
    auditKeys: () => [new Uint8Array()],
    migrates: true,
    membership: null,
    place: 'test',
    onRefused: (error) => {
      throw error;
    },
    connections: 2,
    deadlineMs: DEADLINE_MS,
    connectMs: CONNECT_MS,
    coordination: { own: createMemoryCoordination(), random, ...limits },
    ...options,
  });
  atEnd(() => instance.store.close());
  await instance.admit(async () => undefined);
  return instance;
}

/** As their time does, which is tested where the leases are (attempt-leases.test.ts). */
const END_LEASES = 'UPDATE shared_attempt_leases SET ends_at = clock_timestamp()';

const EMPTY =
  'TRUNCATE shared_rate_windows, shared_attempt_leases, shared_status_polls, shared_notes';

/** Several instances with an empty shared state, on a database that is used by nobody else. */
export async function openCoordination(url: string, count: number): Promise<OpenedCoordination> {
  const endings: (() => void | Promise<void>)[] = [];
  await ask(url, EMPTY);
  const open = () => openInstance(url, (end) => void endings.push(end));
  const [first, ...others] = await Promise.all([
    open(),
    ...Array.from({ length: count - 1 }, open),
  ]);
  const coordinations = [first, ...others].map(({ coordination }) => coordination);
  return {
    instances: [first.coordination, inRotation(coordinations)],
    crash: async () => {
      // Without its connections it can give nothing back, as if its process had ended.
      await first.store.close();
      await ask(url, END_LEASES);
      return (await open()).coordination;
    },
    dispose: async () => {
      for (const end of endings.toReversed()) await end();
    },
  };
}

/** Each call goes to the next instance. */
function inRotation(all: readonly Coordination[]): Coordination {
  return {
    requestLimits: rotate(all.map(({ requestLimits }) => requestLimits)),
    unknownIds: rotate(all.map(({ unknownIds }) => unknownIds)),
    attemptLock: rotate(all.map(({ attemptLock }) => attemptLock)),
    statusPolls: rotate(all.map(({ statusPolls }) => statusPolls)),
    notes: rotate(all.map(({ notes }) => notes)),
    notifier: rotate(all.map(({ notifier }) => notifier)),
    readTime: all[0]?.readTime ?? null,
  };
}

function rotate<Port extends object>(ports: readonly Port[]): Port {
  const [first] = ports;
  if (first === undefined) throw new Error('there is no instance');
  let calls = 0;
  return new Proxy(first, {
    get: (_, name): unknown => {
      const port = ports[calls % ports.length] ?? first;
      calls += 1;
      const method: unknown = Reflect.get(port, name);
      return typeof method === 'function' ? method.bind(port) : method;
    },
  });
}
