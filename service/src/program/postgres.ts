import { MINUTE_MS } from '../values/time.ts';
import { createRandom, systemTimer } from '../platform/runtime.ts';
import { onlyKnown, ServerIdentityFile } from '../platform/keys/server-identity-file.ts';
import { createMemoryCoordination } from '../platform/coordination/memory-coordination.ts';
import { openPostgres, type PostgresInstance } from '../store/postgres/open-postgres.ts';
import type { DatabaseAddress } from '../store/postgres/connection-url.ts';
import { machineName } from '../platform/machine-name.ts';
import { keyNumber, numberOf } from '../platform/keys/key-number.ts';
import type { Membership } from '../store/postgres/presence/sessions.ts';
import type { KeysAmongInstances, ServerKeys } from '../platform/keys/server-keys.port.ts';
import type { Random } from '../platform/runtime.port.ts';
import { auditKeysOf } from '../platform/keys/audit-keys.ts';
import { allKeys } from '../values/secret.ts';
import type { StoreNeeds } from './store-needs.ts';

const JITTER_DIGITS = 6;

/** A command may change every row of a table. */
const COMMAND_DEADLINE_MS = 10 * MINUTE_MS;

interface PostgresUse {
  /** For a command of an operator, which may take as long as it needs. */
  readonly isCommand: boolean;
  /** Whether the schema is brought up to date, or only compared with this version's. */
  readonly migrates: boolean;
}

/** Store and shared state in the database of DATABASE_URL. Loaded only where one is set. */
export function openPostgresInstance(
  address: DatabaseAddress,
  {
    config,
    keys,
    databasePassword,
    vault,
    clock = null,
    onPoisoned,
    onWarning,
    onBegin,
    onConnections,
  }: StoreNeeds,
  { isCommand, migrates }: PostgresUse,
): PostgresInstance & { readonly keysAmongInstances: KeysAmongInstances | null } {
  const random = createRandom();
  const identity = new ServerIdentityFile(config.dataDir);
  const instance = openPostgres({
    coordination: { own: createMemoryCoordination(), clock, random },
    address,
    ...(databasePassword === null ? {} : { password: databasePassword }),
    // A folder whose store is a file would say after a command that it has been forgotten.
    identity: isCommand ? onlyKnown(identity) : identity,
    timer: systemTimer,
    jitter: () => Number(random.digits(JITTER_DIGITS)) / 10 ** JITTER_DIGITS,
    vault,
    auditKeys: keys.derived(auditKeysOf),
    migrates,
    place: isCommand ? machineName() : `${machineName()}:${config.port}`,
    membership: isCommand ? null : membershipOf(keys, config, random),
    // A command that has to be alone is so with one connection.
    ...(isCommand ? { deadlineMs: COMMAND_DEADLINE_MS, connections: 1 } : {}),
    onRefused: onPoisoned,
    ...(onWarning === undefined ? {} : { onWarning }),
    ...(onBegin === undefined ? {} : { onBegin }),
    ...(onConnections === undefined ? {} : { onConnections }),
  });
  return { ...instance, keysAmongInstances: isCommand ? null : shownIn(instance) };
}

function shownIn({ keys }: PostgresInstance): KeysAmongInstances {
  return {
    requireFit: (next) => keys.requireFit(shownOf(next)),
    show: (writes, next) => keys.show({ ...shownOf(next), writes: writes.map(keyNumber) }),
    settled: () => keys.settled(),
  };
}

function membershipOf(
  keys: ServerKeys,
  { simulator }: StoreNeeds['config'],
  random: Random,
): Membership {
  const strict = simulator?.isStrict === true ? numberOf(random.bytes(4)) : null;
  return { ...shownOf(keys), strict };
}

function shownOf(keys: ServerKeys) {
  return { keys: allKeys(keys).map(keyNumber), writes: [keyNumber(keys.current)] };
}
