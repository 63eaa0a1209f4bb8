import type { MovedTo } from '../../commands/command-context.ts';
import type { Act } from '../../audit/act.ts';
import type { Config } from '../../config/config.ts';
import { isoTimestamp, MINUTE_MS, type Ms } from '../../values/time.ts';
import { machineName } from '../../platform/machine-name.ts';
import { hasSecretKey, KEY_FILE } from '../../platform/keys/secret-key.ts';
import {
  forgetServer,
  onlyKnown,
  ServerIdentityFile,
} from '../../platform/keys/server-identity-file.ts';
import type { Random } from '../../platform/runtime.port.ts';
import { systemTimer } from '../../platform/runtime.ts';
import type { Store } from '../../store/ports/store.port.ts';
import {
  hasDatabase,
  lockFolder,
  moveRows,
  openSqliteSide,
  StoreOpenError,
  type MoveSide,
} from '../../store/index.ts';
import { parseDatabaseUrl, type DatabaseAddress } from '../../store/postgres/connection-url.ts';
import { auditHeadFile, requireKeptHead } from '../audit-head.ts';
import {
  bindingOf,
  openDatabaseWithoutService,
  openStoreInLockedFolder,
  requireKeys,
} from '../../program/open-store.ts';
import { auditKeysOf } from '../../platform/keys/audit-keys.ts';
import { operatorNeeds, type StoreNeeds } from '../../program/store-needs.ts';
import { join, resolve } from 'node:path';

/** For one statement outside of the transaction, such as a migration's. */
const DEADLINE_MS = 10 * MINUTE_MS;

/** The word for the database of the settings, whose URL has a password. */
const OF_SETTINGS = 'DATABASE_URL';
const IS_URL = /^postgres(?:ql)?:/;
/** With a separator: another word is more likely a misspelt one of the others. */
const IS_PATH = /^(?:\.{0,2}[/\\]|[a-z]:[/\\])/i;

const NO_PLACE =
  '--to is DATABASE_URL (in capitals), a URL that begins with postgres:// and has no password, or a ' +
  'folder with its path, such as /var/lib/miftah or ./data. Nothing was moved';

type Place =
  | { readonly kind: 'folder'; readonly folder: string }
  | { readonly kind: 'database'; readonly address: DatabaseAddress };

interface MoveParts {
  readonly random: Random;
  readonly act: Act;
  /** `DATABASE_URL`, a URL without a password, or a folder. */
  readonly to: string;
  readonly at: Ms;
  /** Is told what of the database server endangers the store. */
  readonly tell: (line: string) => void;
}

/**
 * Moves the store of the settings to the other engine: from the file in DATA_DIR to a database, or
 * from the database of DATABASE_URL to a file. The order of its steps is that of `moveRows`.
 * @throws Error that says what to do
 */
export async function moveStore(
  config: Config,
  { random, act, to, at, tell }: MoveParts,
): Promise<MovedTo> {
  const target = targetOf(config, to);
  const source = sourceFor(target, config);
  const folder = target.kind === 'folder' ? target.folder : config.dataDir;
  if (source.kind === 'folder' && !hasDatabase(config.dataDir)) {
    throw new Error(`there is no store in ${config.dataDir}: set DATA_DIR to that of the service`);
  }
  const needs = operatorNeeds(config, random, act);
  using _lock = lockFolder(folder);
  await requireMovable(needs, source, at);
  const { places, counts, isCopied } = await withSide({ needs, tell }, source, (from) =>
    withSide({ needs, tell }, target, async (into) => ({
      places: { left: from.place, place: into.place },
      ...(await moveRows(from, into, isoTimestamp(at))),
    })),
  );
  const isDatabase = target.kind === 'database';
  if (!isDatabase) forgetServer(folder);
  return { ...places, counts, isCopied, isDatabase, keyFile: keyFileOf(config) };
}

/** @throws Error for what is no place */
function targetOf({ database }: Config, to: string): Place {
  if (to === OF_SETTINGS) {
    if (database !== null) return { kind: 'database', address: database };
    throw new Error('DATABASE_URL is not set: set it, or name the database by its URL');
  }
  if (IS_PATH.test(to)) return { kind: 'folder', folder: resolve(to) };
  // It is not repeated: it may have a password.
  if (!IS_URL.test(to)) throw new Error(NO_PLACE);
  const address = parseDatabaseUrl(to);
  if (address.password === null) return { kind: 'database', address };
  throw new Error(
    'every user of this machine can read the password in the arguments of a command: set ' +
      'DATABASE_URL (or DATABASE_URL_FILE), and say --to DATABASE_URL',
  );
}

function sourceFor(target: Place, { database, dataDir }: Config): Place {
  if (target.kind === 'database') return { kind: 'folder', folder: dataDir };
  if (database !== null) return { kind: 'database', address: database };
  throw new Error(
    'DATABASE_URL is not set, so the store is a file already. To move it to PostgreSQL, say --to ' +
      'with the URL of the database',
  );
}

/**
 * What a start would refuse is not moved: it would be refused there too, or, worse, not be noticed
 * any more.
 */
async function requireMovable(needs: StoreNeeds, source: Place, at: Ms): Promise<void> {
  let store: Store;
  try {
    store = await openSource(needs, source);
  } catch (error) {
    // An earlier run of this command may have come so far.
    if (error instanceof StoreOpenError && error.code === 'store.moved') return;
    throw error;
  }
  try {
    await requireKeys(store);
    const isShared = source.kind === 'database';
    await requireKeptHead({ store, isShared, at }, auditHeadFile(needs.config, needs.keys));
    await store.bindTo(bindingOf(needs.config), at);
  } finally {
    await store.close();
  }
}

async function openSource(needs: StoreNeeds, source: Place): Promise<Store> {
  if (source.kind === 'folder') return openStoreInLockedFolder(needs, source.folder);
  return (await openDatabaseWithoutService(needs)).store;
}

async function withSide<Result>(
  { needs: { config, keys }, tell }: { needs: StoreNeeds; tell: (line: string) => void },
  place: Place,
  work: (side: MoveSide) => Promise<Result>,
): Promise<Result> {
  const auditKeys = auditKeysOf(keys);
  if (place.kind === 'folder') {
    using side = openSqliteSide(place.folder, auditKeys);
    return await work(side);
  }
  const { withPostgresSide } = await import('../../store/postgres/move-side.ts');
  const { address } = place;
  // A database that is only now made known is of whichever server it is on.
  const memory = address === config.database ? new ServerIdentityFile(config.dataDir) : null;
  return withPostgresSide(
    {
      address,
      // Only a service remembers it: a move that comes to nothing leaves one that has a file.
      identity: onlyKnown(memory),
      timer: systemTimer,
      deadlineMs: DEADLINE_MS,
      auditKeys,
      tell,
      machine: machineName(),
    },
    work,
  );
}

/** Where the key is that the store needs at its new place too; null: it is in the settings. */
function keyFileOf({ secretKey, dataDir }: Config): string | null {
  if (secretKey !== null || !hasSecretKey(dataDir)) return null;
  return join(resolve(dataDir), KEY_FILE);
}
