import { createRandom } from '../platform/random.ts';
import { ServerIdentityFile } from '../platform/server-identity-file.ts';
import { systemTimer } from '../platform/timer.ts';
import { openPostgresStore, type PostgresStore } from '../store/postgres/open-postgres-store.ts';
import type { DatabaseAddress } from '../store/postgres/connection-url.ts';
import { auditKeysOf, type StoreNeeds } from './store-needs.ts';

const JITTER_DIGITS = 6;

interface PostgresUse {
  /** Whether the schema is brought up to date, or only compared with this version's. */
  readonly migrates: boolean;
}

/** The store in the database of DATABASE_URL. Loaded only where one is set. */
export function openPostgres(
  address: DatabaseAddress,
  { config, keys, vault, onPoisoned, onWarning, onBegin, onConnections }: StoreNeeds,
  { migrates }: PostgresUse,
): PostgresStore {
  const [auditKey, ...retiredAuditKeys] = auditKeysOf(keys);
  const random = createRandom();
  return openPostgresStore({
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
