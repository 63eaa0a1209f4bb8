import type { Config } from '../../config/config.ts';
import { isLoopback } from '../../config/values.ts';
import { wordsOf } from '../../errors/fault-words.ts';
import { asSentence, fault, ok, warning, type Finding } from './finding.ts';
import { SECOND_MS, type Ms } from '../../values/time.ts';
import { ServerIdentityFile } from '../../platform/keys/server-identity-file.ts';
import { systemTimer } from '../../platform/runtime.ts';
import type { Clock } from '../../platform/runtime.port.ts';
import type { DatabaseAddress } from '../../store/postgres/connection-url.ts';
import {
  inspectDatabase,
  type DatabaseInspection,
  type Rights,
} from '../../store/postgres/inspect-database.ts';
import { requireKnown } from '../../store/postgres/server-check.ts';
import { keyNumber } from '../../platform/keys/key-number.ts';
import type { ServerKeys } from '../../platform/keys/server-keys.port.ts';
import { auditKeysOf } from '../../platform/keys/audit-keys.ts';
import { leftBehind } from '../move/left-behind.ts';
import { examineContent, examineSchema, examineWriters } from './content.ts';

const MIGRATE = 'Run `miftah migrate` of this version once, or start a service of it.';
const OTHERWISE = 'Set another DATABASE_URL, or the settings of this store.';
const OPEN =
  'Check host, port, user, password and database in DATABASE_URL, whether the server runs, and ' +
  'whether its pg_hba.conf and the firewall let this machine in.';
const LEFT = 'store.left_behind';
const CLOCK_MS = 30 * SECOND_MS;
/** The oldest that is supported: its first number. */
const OLDEST = 13;

interface DatabaseTools {
  readonly keys: ServerKeys;
  readonly clock: Clock;
}

/** The database of DATABASE_URL: server, connection, rights, and what is in it. */
export async function examineDatabase(
  config: Config,
  address: DatabaseAddress,
  tools: DatabaseTools,
): Promise<Finding[]> {
  const tls = examineTls(address);
  const options = { address, timer: systemTimer, auditKeys: auditKeysOf(tools.keys) };
  try {
    const store = await inspectDatabase(options);
    try {
      return [tls, ...(await examineOpened(config, store, tools))];
    } finally {
      await store.close();
    }
  } catch (error) {
    return [tls, fault('store.open', `The database can't be used: ${wordsOf(error)}.`, OPEN)];
  }
}

async function examineOpened(
  config: Config,
  store: DatabaseInspection,
  { keys, clock }: DatabaseTools,
): Promise<Finding[]> {
  const rights = await store.rights();
  const findings: Finding[] = [
    ok('store.open', 'The database of DATABASE_URL can be read.'),
    examineServer(config.dataDir, store),
    ...examineSettings(store),
    judgeClock(clock.now() - (await store.time())),
    ...examineRights(rights),
    examineLock(await store.migrators()),
    ...examineWriters(await store.writersWithOther(keyNumber(keys.current))),
  ];
  if (rights.schema === null || rights.closed.length > 0) return findings;
  const state = await store.schema();
  const schema = examineSchema(state, MIGRATE);
  // The statements are for the schema of this version.
  const isReadable = schema.severity === 'ok';
  if (!isReadable && !state.isEmpty) return [...findings, schema];
  const left = await leftBehind(config, isReadable ? { database: store, keys: () => keys } : null);
  // What else is missing in such a database is what the move brings.
  if (left?.isFault === true) return [...findings, fault(LEFT, left.what, left.remedy)];
  findings.push(schema, ...(left === null ? [] : [warning(LEFT, left.what, left.remedy)]));
  if (!isReadable) return findings;
  return [...findings, ...(await examineContent(config, store, keys, OTHERWISE))];
}

/** Whether it is the server that the service has used, or the one that took its place. */
function examineServer(dataDir: string, { identity, version }: DatabaseInspection): Finding {
  const check = 'store.server';
  if (Number.parseInt(version, 10) < OLDEST) {
    const what = `PostgreSQL ${version} is too old.`;
    return fault(check, what, `Use PostgreSQL ${OLDEST} or later.`);
  }
  try {
    requireKnown(identity, new ServerIdentityFile(dataDir).known());
  } catch (error) {
    const remedy =
      'Have DATABASE_URL name the present primary. If you have moved the store to this server on ' +
      'purpose, delete postgres-server.json in DATA_DIR of every instance.';
    return fault(check, `The service refuses this server: ${wordsOf(error)}.`, remedy);
  }
  return ok(check, `It is PostgreSQL ${version}, on timeline ${identity.timeline}.`);
}

/** The service follows the clock of the server, so this difference is nobody's loss but the log's. */
function judgeClock(aheadMs: Ms): Finding {
  const check = 'store.clock';
  if (Math.abs(aheadMs) <= CLOCK_MS) return ok(check, "Its clock and the server's agree.");
  const seconds = Math.round(Math.abs(aheadMs) / SECOND_MS);
  const where = aheadMs > 0 ? 'ahead of' : 'behind';
  const what = `The clock of this machine is ${seconds} s ${where} the server's.`;
  return warning(check, what, 'Correct the wrong one of the two; have both synchronised (NTP).');
}

function examineSettings({ warnings }: DatabaseInspection): Finding[] {
  const check = 'store.settings';
  if (warnings.length === 0) return [ok(check, 'The server keeps what it has acknowledged.')];
  return warnings.map(({ what, remedy }) => warning(check, asSentence(what), asSentence(remedy)));
}

function examineRights({ role, isSuperuser, mayCreate, schema, closed }: Rights): Finding[] {
  const check = 'store.rights';
  if (schema === null) {
    const what = `The role ${role} may use no schema of its search_path, so it finds no table.`;
    const remedy =
      `Have the owner of the tables run GRANT USAGE ON SCHEMA public TO ${role}; or set the ` +
      'search_path of the role to the schema of the tables.';
    return [fault(check, what, remedy)];
  }
  if (closed.length > 0) {
    const what = `The role ${role} may not read and write ${closed.join(', ')}.`;
    return [fault(check, what, `Have the owner of the tables grant it to ${role}.`)];
  }
  if (isSuperuser) {
    const what = `The role ${role} is a superuser, so the service may do everything on the server.`;
    return [warning(check, what, 'Give the service a role of its own, which owns its database.')];
  }
  const create = mayCreate ? 'may' : 'may not';
  const more = mayCreate ? '' : ', so run `miftah migrate` with another role before a new version';
  return [ok(check, `The role ${role} can use all tables, and ${create} create tables${more}.`)];
}

/** A start waits for this lock, if it has to bring the schema up to date. */
function examineLock(holders: string): Finding {
  const check = 'store.lock';
  if (holders === '') return ok(check, 'Nobody holds the lock of migrations.');
  const remedy =
    'If that is an instance of the service, let it finish. Otherwise end that session ' +
    '(pg_terminate_backend): no start can bring the schema up to date meanwhile.';
  return warning(check, `The lock of migrations is held by ${holders}.`, remedy);
}

function examineTls({ tlsMode, servers }: DatabaseAddress): Finding {
  const check = 'store.tls';
  const isNear = servers.every(({ host }) => host.startsWith('/') || isLoopback(host));
  if (tlsMode === 'verify-full' || tlsMode === 'verify-ca') {
    return ok(check, 'The connection is encrypted, and the server shows who it is.');
  }
  if (isNear) return ok(check, 'The server is on this machine.');
  if (tlsMode === 'require') {
    const what = 'The connection is encrypted, but nobody looks who the server is.';
    return warning(check, what, 'Set sslmode=verify-full and sslrootcert in DATABASE_URL.');
  }
  const what = 'The connection is not encrypted.';
  return warning(check, what, 'Unless only you use that network, set sslmode=verify-full.');
}
