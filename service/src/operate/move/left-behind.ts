import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from '../../config/config-error.ts';
import type { Config } from '../../config/config.ts';
import { SERVER_IDENTITY_FILE } from '../../platform/keys/server-identity-file.ts';
import { isEmptyHead, type KeptHead } from '../../audit/audit-head.ts';
import type { ServerKeys } from '../../platform/keys/server-keys.port.ts';
import { provedHead } from '../audit-head.ts';
import { inspectStore, peopleLeftIn, StoreOpenError } from '../../store/index.ts';
import type { Store } from '../../store/ports/store.port.ts';

/** In both places that an operator may have forgotten. */
const SET_AGAIN =
  'Set DATABASE_URL, or DATABASE_URL_FILE to a file that has it; for the units of systemd ' +
  '/etc/miftah/secrets/database-url is enough.';

/** People whom the store of the settings does not have, because they are in one of the other engine. */
interface LeftBehind {
  readonly what: string;
  readonly remedy: string;
  /** Whether they are meant to be in the store of the settings. */
  readonly isFault: boolean;
}

type Settings = Pick<Config, 'database' | 'dataDir' | 'auditHeadFile'>;

/** The database of the settings, and the keys that prove what AUDIT_HEAD_FILE has. */
interface Compared {
  readonly database: Pick<Store, 'auditHead' | 'containsHead' | 'knowsHead'>;
  readonly keys: () => ServerKeys;
}

/**
 * A service that is given DATABASE_URL beside a store in DATA_DIR would begin without its people.
 * @param compared null for a database without tables
 * @returns null where nobody is left behind
 */
export async function leftBehind(
  config: Settings,
  compared: Compared | null,
): Promise<LeftBehind | null> {
  const { database, dataDir } = config;
  const people = database === null ? 0 : peopleLeftIn(dataDir);
  if (people === 0 || people === 'fenced') return null;
  const isEmpty = compared === null || (await compared.database.auditHead()).count === 0;
  if (people === 'unreadable') return isEmpty ? unreadable(dataDir) : null;
  const what = `DATABASE_URL is set, and ${dataDir}/miftah.db has people (${people}) who are not in that database`;
  if (isEmpty) {
    const remedy =
      'Run `miftah move --to DATABASE_URL` with the settings of this service: it moves them, with ' +
      'their tokens. To begin without them, move the file away.';
    return { what: `${what}, which is empty.`, remedy, isFault: true };
  }
  if (await isBegunWithout(config, compared)) {
    const remedy =
      'Stop all instances, delete AUDIT_HEAD_FILE of each that has used this database, have ' +
      'DATABASE_URL name a new one, and run `miftah move --to DATABASE_URL`: it moves them, with ' +
      'their tokens. To go on with this database and without them, move the file away.';
    return { what: `${what}, which was begun without them.`, remedy, isFault: true };
  }
  const remedy = 'If they are of no use any more, move the file away.';
  return { what: `${what}.`, remedy, isFault: false };
}

/**
 * Whether the service was at the file last, whoever has signed in to the database since.
 * AUDIT_HEAD_FILE has an end of the log that it wrote; without one it is the longer log.
 */
async function isBegunWithout(config: Settings, { database, keys }: Compared): Promise<boolean> {
  const last = provedHead(config, keys());
  const seen = last === null || isEmptyHead(last) ? null : last;
  if (seen !== null && (await database.knowsHead(seen))) return false;
  const log = await logIn(config.dataDir, seen);
  // The database goes on from the file, though no move has fenced that.
  if (log === null || (await database.containsHead(log.end))) return false;
  return seen === null ? log.end.count > (await database.auditHead()).count : log.hasSeen;
}

/** Null where it can't be read. */
async function logIn(dataDir: string, seen: KeptHead | null) {
  const file = inspectStore(dataDir, []);
  try {
    const hasSeen = seen !== null && (await file.containsHead(seen));
    return { end: await file.auditHead(), hasSeen };
  } catch {
    return null;
  } finally {
    await file.close();
  }
}

/** Nobody knows whether people are in it, so it is taken for one that has them. */
function unreadable(dataDir: string): LeftBehind {
  const what = `DATABASE_URL is set, and ${dataDir}/miftah.db can't be read, while that database is empty.`;
  const remedy =
    'If this service has used it, restore a backup of it with `miftah restore` without ' +
    'DATABASE_URL, and then run `miftah move --to DATABASE_URL`. To begin without its people, ' +
    'move the file away.';
  return { what, remedy, isFault: true };
}

/**
 * @returns a warning where the database has been used by itself; null where nobody is left behind
 * @throws StoreOpenError where nothing has ever happened in the database, or it was begun without them
 */
export async function requireNobodyLeft(
  config: Settings,
  database: Compared['database'],
  keys: Compared['keys'],
): Promise<string | null> {
  const left = await leftBehind(config, { database, keys });
  if (left === null) return null;
  const words = `${left.what} ${left.remedy}`;
  if (left.isFault) throw new StoreOpenError('store.left_behind', words);
  return words;
}

/**
 * The same the other way round: a live service that has used a database and is given none would begin
 * without its people, in a file.
 * @returns null where no database was used, or the store in DATA_DIR was moved or can't be read: that
 *   is told where it is opened
 */
export function forgottenDatabase({
  database,
  dataDir,
  live,
}: Pick<Config, 'database' | 'dataDir' | 'live'>): LeftBehind | null {
  const file = join(dataDir, SERVER_IDENTITY_FILE);
  if (database !== null || live === null || !existsSync(file)) return null;
  const people = peopleLeftIn(dataDir);
  if (typeof people === 'string') return null;
  const what = `DATABASE_URL is not set, and ${file} says that this service has used a database`;
  if (people > 0) {
    const remedy = `${SET_AGAIN} To go on with the people (${people}) in ${dataDir}/miftah.db, delete ${file}.`;
    return { what: `${what}.`, remedy, isFault: false };
  }
  const remedy =
    `${SET_AGAIN} If the store is to be a file, \`miftah move --to FOLDER\` moves it there while ` +
    `DATABASE_URL is set. To begin with nobody, or to restore a backup, delete ${file}.`;
  return { what: `${what}: with a file it would begin without its people.`, remedy, isFault: true };
}

/**
 * @returns warnings
 * @throws ConfigError where the service would begin without its people
 */
export function refuseForgottenDatabase(config: Parameters<typeof forgottenDatabase>[0]): string[] {
  const forgotten = forgottenDatabase(config);
  if (forgotten === null) return [];
  const words = `${forgotten.what} ${forgotten.remedy}`;
  if (forgotten.isFault) throw new ConfigError([words]);
  return [words];
}
