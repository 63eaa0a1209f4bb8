import type { ClientRow, CommandContext } from '../commands/command-context.ts';
import {
  loadClientsPlace,
  loadConfig,
  loadForMigration,
  loadProviderAccess,
  type Config,
  type Loaded,
  ConfigError,
} from '../config/config.ts';
import type { Environment } from '../config/instance.ts';
import type { Ms } from '../values/time.ts';
import { wordsOf } from '../errors/fault-words.ts';
import { textOfActor, type Act, type Reason } from '../audit/act.ts';
import { eraseUser, exportUser } from '../account/personal-data.flow.ts';
import { revokeAll } from '../account/revoke-all.flow.ts';
import { newSigningKeys } from '../platform/keys/signing-keys.ts';
import { becomeOwnerOf, processActor } from '../platform/process-account.ts';
import { systemClock, createRandom, systemTimer } from '../platform/runtime.ts';
import type { Store } from '../store/ports/store.port.ts';
import { backUp, compact, hasDatabase } from '../store/index.ts';
import { readClientsFile } from '../platform/files/clients-file.ts';
import { cursorFile } from '../platform/files/cursor-file.ts';
import { editClientsFile, type EditedClients } from '../platform/files/edit-clients-file.ts';
import { auditHeadFile, withNewHead } from '../operate/audit-head.ts';
import { compareWithSimulator } from '../operate/against/against.ts';
import { keepBackup } from '../operate/backup/keep-backup.ts';
import { examine } from '../operate/doctor/examine.ts';
import {
  bindingOf,
  fileWriterWithOther,
  migrateDatabase,
  openStoreForCommand,
  openStoreWithoutService,
  requireKeys,
} from './open-store.ts';
import { requireNobodyLeft } from '../operate/move/left-behind.ts';
import { moveStore } from '../operate/move/move.ts';
import {
  isClient,
  receiversOf,
  refuseUncalled,
  tellReceivers,
} from '../operate/require-clients.ts';
import { endRestored, restoreStore } from '../operate/restore/restore.ts';
import { keyNumber } from '../platform/keys/key-number.ts';
import { auditKeysOf } from '../platform/keys/audit-keys.ts';
import { allKeys } from '../values/secret.ts';
import { requireOwnFiles, serverKeys } from './store-needs.ts';

/**
 * Between two transactions of a command. A service that waits for a file of SQLite looks at it
 * again after at most 25 ms, when it has waited for less than a tenth of a second.
 */
const OTHERS_WRITE_MS = 50;

/** What the operator's commands need of the service; the rest of their context needs none of it. */
export type OperatorParts = Omit<
  CommandContext,
  | 'random'
  | 'print'
  | 'deliver'
  | 'isAppending'
  | 'tell'
  | 'fail'
  | 'misuse'
  | 'ask'
  | 'isInteractive'
  | 'runner'
  | 'setUp'
  | 'start'
  | 'develop'
>;

export interface OperatorOptions {
  /** The file that `--config` names. */
  readonly configFile: () => string | undefined;
  readonly environment: Environment;
  /** For what is no result: standard output may be read by a program. */
  readonly tell: (line: string) => void;
}

/** Opens the service's database from this second process, with the same settings. */
export function operatorParts({ configFile, environment, tell }: OperatorOptions): OperatorParts {
  const flags = () => {
    const file = configFile();
    return file === undefined ? [] : ['--config', file];
  };
  const readSettings = (): Loaded => loadConfig(flags(), environment);
  const readConfig = () => readSettings().config;
  const actor = textOfActor(processActor());
  const actOf = (reason: Reason | null): Act => ({ actor, reason });
  return {
    ...storeParts(readConfig, actOf, tell),
    migrate: () => {
      const { config } = loadForMigration(flags(), environment);
      return migrateDatabase(config, createRandom(), actOf(null));
    },
    editClients: async (given, edit, { before = nothing, makes = false, row }) => {
      const path = given ?? loadClientsPlace(configFile(), environment);
      if (path === null) throw new Error('CLIENTS_FILE is not set: set it, or say --file PATH');
      // A path that is typed may be misspelt; a service reads CLIENTS_FILE.
      const show = async (edited: EditedClients) => {
        // The settings are not those of a file that is typed: it may be for another machine.
        const config = given === undefined ? configOrNull(readConfig) : null;
        if (config !== null) refuseUncalled(config, edited);
        await before();
      };
      await editClientsFile(path, edit, show, { mayMake: makes && given === undefined });
      if (given === undefined) await recordEdit({ readConfig, actOf, tell }, row);
      return path;
    },
    clients: async (given) => {
      const path = given ?? loadClientsPlace(configFile(), environment);
      return path === null ? null : readClientsFile(path);
    },
    examine: () => examine(readSettings, { clock: systemClock, random: createRandom() }),
    compare: async ({ url, pathPrefix, ...wanted }) => {
      const asked = { url, pathPrefix, config: configFile() };
      const access = loadProviderAccess(asked, environment);
      const tools = { clock: systemClock, random: createRandom(), timer: systemTimer };
      return compareWithSimulator(access, wanted, { ...tools, tell });
    },
    storePlace: async () => {
      const { database, dataDir } = readConfig();
      return database === null ? dataDir : `the database ${database.database}`;
    },
    headFile: async () => {
      const config = readConfig();
      return auditHeadFile(config, keysOf(config));
    },
  };
}

/** The store is opened only by commands that need it, and only while they run. */
function storeParts(
  readConfig: () => Config,
  actOf: (reason: Reason | null) => Act,
  tell: OperatorOptions['tell'],
) {
  return {
    ...openParts(readConfig, actOf),
    cursorFile: async (path) => cursorFile(path),
    pause,
    exportUser: (store, user, now) => exportUser(store, allKeys(keysOf(readConfig())), user, now),
    isClient: async (id) => isClient(readConfig(), id),
    receivers: async () => receiversOf(readConfig()),
    operatorLink: async (store, role, now) => {
      const { operator } = readConfig();
      if (operator === null || operator.people !== null) return null;
      const { linkAddress } = await import('../operator/entry.ts');
      const { actor: maker } = actOf(null);
      return linkAddress(operator.url, { store, random: createRandom() }, { role, maker }, now);
    },
    writersWithOtherKey: () => writersWithOtherKey(readConfig()),
    recordsCalls: async () => readConfig().simulator?.isStrict !== false,
    newSigningKeys,
    revokeAll: (store, scope, at) => revokeAll(store, at, scope, letOthersWrite),
    eraseUser: (store, user, how) => eraseUser(store, allKeys(keysOf(readConfig())), user, how),
    compact: async () => compactStore(readConfig()),
    withLostStore: async (work, reason) => {
      const [config, random] = [readConfig(), createRandom()];
      const { store, alone } = await openStoreWithoutService(config, random, actOf(reason));
      const file = auditHeadFile(config, serverKeys(config, random));
      await closing(store, (at) =>
        work(store, at, async (change) => ({
          ...(await alone(() => withNewHead({ store, at }, file, change))),
          isShared: config.database !== null,
        })),
      );
    },
    backUp: async (file) => backUp(ownFolder(requireFile(readConfig())), file),
    keepBackup: (folder, rotation) => {
      const wanted = { folder, rotation, ...partsOf(actOf(null)) };
      return keepBackup(requireFile(readConfig()), wanted);
    },
    restore: (file, reason) =>
      restoreStore(requireFile(readConfig()), file, partsOf(actOf(reason))),
    move: (to) => moveStore(readConfig(), { ...partsOf(actOf(null)), to, tell }),
    endRestored: (name, reason) => endRestored(readConfig(), { ...partsOf(actOf(reason)), name }),
  } satisfies Partial<OperatorParts>;
}

/** Neither opens an empty database beside people who were never moved: they are meant to be in it. */
function openParts(readConfig: () => Config, actOf: (reason: Reason | null) => Act) {
  return {
    withStore: async (work, reason = null) => {
      const config = readConfig();
      const store = await openStoreForCommand(config, createRandom(), actOf(reason));
      await closing(store, async (now) => {
        // To bind may write a row, which under an unknown key would break the audit log.
        await requireKeys(store);
        await requireNobodyLeft(config, store, () => keysOf(config));
        await store.bindTo(bindingOf(config), now);
        tellReceivers(config, store.outbox);
        await work(store, now);
      });
    },
    withLog: async (work) => {
      const config = readConfig();
      const store = await openStoreForCommand(config, createRandom(), actOf(null));
      await closing(store, async (now) => {
        await requireNobodyLeft(config, store, () => keysOf(config));
        await work(store, now);
      });
    },
  } satisfies Partial<OperatorParts>;
}

/** Null where other settings are not right, which hinders no change of the clients. */
function configOrNull(readConfig: () => Config): Config | null {
  try {
    return readConfig();
  } catch (error) {
    if (error instanceof ConfigError) return null;
    throw error;
  }
}

/**
 * The reload writes what has changed, and knows nobody. The file is root's, so that the service can't
 * change it, and the store the service's: root ends as its user.
 */
async function recordEdit(
  {
    readConfig,
    actOf,
    tell,
  }: {
    readonly readConfig: () => Config;
    readonly actOf: (reason: Reason | null) => Act;
    readonly tell: OperatorOptions['tell'];
  },
  { reason, ...event }: ClientRow,
): Promise<void> {
  try {
    // Read as root, whose secrets are the service's.
    const config = readConfig();
    if (config.database === null && !hasDatabase(config.dataDir)) return;
    becomeOwnerOf(config.dataDir);
    const { withStore } = openParts(() => config, actOf);
    await withStore((store, at) => store.recordEvent({ at, ...event }), reason);
  } catch (error) {
    tell(`The audit log has no row of this: ${wordsOf(error)}`);
  }
}

const keysOf = (config: Config) => serverKeys(config, createRandom());

const partsOf = (act: Act) => ({ random: createRandom(), act, at: systemClock.now() });

async function writersWithOtherKey(config: Config): Promise<string> {
  const { database: address } = config;
  const keys = keysOf(config);
  if (address === null) return fileWriterWithOther(config, keys.current);
  const { inspectDatabase } = await import('../store/postgres/inspect-database.ts');
  const found = await inspectDatabase({
    address,
    timer: systemTimer,
    auditKeys: auditKeysOf(keys),
  });
  try {
    return await found.writersWithOther(keyNumber(keys.current));
  } finally {
    await found.close();
  }
}

function compactStore({ database, dataDir }: Config): string {
  if (database !== null) {
    return (
      'PostgreSQL keeps deleted rows in its files until they are rewritten: VACUUM FULL of each ' +
      'table does that, and the write-ahead log follows with its next segments.'
    );
  }
  return compact(dataDir)
    ? 'The file of the store was written anew, without the person.'
    : 'The file was written anew. Another program reads the log, which has the person until the ' +
        'service restarts.';
}

/** @throws Error where it is of another user, as every other command does */
function ownFolder(config: Config): string {
  requireOwnFiles(config);
  return config.dataDir;
}

/** @throws Error where the store is no file of ours */
function requireFile(config: Config): Config {
  if (config.database === null) return config;
  throw new Error(
    'with DATABASE_URL the store is in PostgreSQL: use its own tools, pg_dump and pg_restore. After ' +
      'a dump `miftah backup --elsewhere` tells of it; after a restore, `miftah restore --database ' +
      'NAME` ends what was open',
  );
}

const nothing = async () => undefined;

const letOthersWrite = () => pause(OTHERS_WRITE_MS);

function pause(ms: Ms): Promise<void> {
  return new Promise((resolve) => void systemTimer.after(ms, resolve));
}

async function closing(store: Store, work: (now: Ms) => Promise<void>): Promise<void> {
  try {
    await work(systemClock.now());
  } finally {
    await store.close();
  }
}
