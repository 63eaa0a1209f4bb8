import { createRandom } from '../platform/random.ts';
import { ServerIdentityFile } from '../platform/server-identity-file.ts';
import { systemTimer } from '../platform/timer.ts';
import { createMemoryCoordination } from '../platform/coordination/memory-coordination.ts';
import { openPostgres, type PostgresInstance } from '../store/postgres/open-postgres.ts';
import type { DatabaseAddress } from '../store/postgres/connection-url.ts';
import { auditKeysOf, type StoreNeeds } from './store-needs.ts';

const JITTER_DIGITS = 6;

interface PostgresUse {
  /** Whether the schema is brought up to date, or only compared with this version's. */
  readonly migrates: boolean;
}

/** Store and shared state in the database of DATABASE_URL. Loaded only where one is set. */
export function openPostgresInstance(
  address: DatabaseAddress,
  { config, keys, vault, onPoisoned, onWarning, onBegin, onConnections }: StoreNeeds,
  { migrates }: PostgresUse,
): PostgresInstance {
  const [auditKey, ...retiredAuditKeys] = auditKeysOf(keys);
  const random = createRandom();
  return openPostgres({
    coordination: { own: createMemoryCoordination(), random },
    address,
    identity: new ServerIdentityFile(config.dataDir),
    timer: systemTimer,
    jitter: () => Number(random.digits(JITTER_DIGITS)) / 10 ** JITTER_DIGITS,
    vault,
    auditKey,
    retiredAuditKeys,
    migrates,
    onRefused: onPoisoned,
    ...(onWarning === undefined ? {} : { onWarning }),
    ...(onBegin === undefined ? {} : { onBegin }),
    ...(onConnections === undefined ? {} : { onConnections }),
  });
}
