import type { EndedInDatabase, Restored } from '../../commands/command-context.ts';
import type { Act } from '../../audit/act.ts';
import type { Config } from '../../config/config.ts';
import { isEmptyHead, type KeptHead } from '../../audit/audit-head.ts';
import { wordsOfBroken } from '../../audit/broken-audit.ts';
import type { Ms } from '../../values/time.ts';
import type { UserId } from '../../account/user.ts';
import { eraseUser } from '../../account/personal-data.flow.ts';
import type { Recovery, RecoveryCounts } from '../../store/ports/store.port.ts';
import type { Random } from '../../platform/runtime.port.ts';
import type { Store } from '../../store/ports/store.port.ts';
import {
  compact,
  hasDatabase,
  liftFence,
  lockFolder,
  removeStaged,
  replaceStore,
  requireNoReplaced,
  stageBackup,
  StoreOpenError,
} from '../../store/index.ts';
import { auditHeadFile, readHead, writeAfterwards } from '../audit-head.ts';
import { requireNobodyLeft } from '../move/left-behind.ts';
import { erasedSince, usersOf } from './erased-since.ts';
import { isContinuation, mostGiven, readBackupIds, type BackupIds } from './given-ids.ts';
import {
  bindingOf,
  openDatabaseWithoutService,
  openStoreInLockedFolder,
  requireKeys,
} from '../../program/open-store.ts';
import { operatorNeeds, type StoreNeeds } from '../../program/store-needs.ts';
import { allKeys } from '../../values/secret.ts';

interface RestoreParts {
  readonly random: Random;
  readonly act: Act;
  readonly at: Ms;
}

/**
 * Replaces the store by a backup, in which everything that may have been ended since is ended. The
 * change is one transaction on a copy, and the copy becomes the store in one step, so that no
 * service can ever start on the unchanged backup.
 * @throws Error that says what to do; the store is then unchanged
 */
export async function restoreStore(
  config: Config,
  backup: string,
  { random, act, at }: RestoreParts,
): Promise<Restored> {
  const { dataDir } = config;
  const needs = operatorNeeds(config, random, act);
  using _lock = lockFolder(dataDir);
  using _staged = noneLeft(dataDir);
  requireNoReplaced(dataDir);
  const { headFile, kept } = openHead(needs);
  const since = hasDatabase(dataDir) ? await readSince(needs) : null;
  const stage = stageBackup(dataDir, backup);
  // Of a store that was moved since: what it has is ended here as in any backup.
  liftFence(stage);
  const { ids, gone, isContinued } = await compareWith(needs, stage, kept);
  const found = since?.lastUserId ?? 0;
  const change = {
    at,
    disabled: since?.disabled ?? [],
    lastUserId: isContinued ? found : mostGiven(ids, kept, { found, at, random }),
    isContinued,
    keptOut: since?.keptOut ?? [],
  };
  const { counts, head, erased } = await recoverStaged(needs, stage, change, gone ?? []);
  // Deleted rows may otherwise be left in the file.
  if (erased > 0) compact(stage);
  replaceStore(dataDir, stage);
  return {
    ...counts,
    replaced: since === null ? 'nothing' : since.isNew ? 'new' : 'used',
    erased: gone === null ? null : erased,
    skippedTo: isContinued ? null : head.lastUserId,
    headFault: writeAfterwards(headFile, head),
  };
}

/** The copy of a backup has people in it: none is left of a killed restore, nor of this one. */
function noneLeft(dataDir: string): Disposable {
  removeStaged(dataDir);
  return { [Symbol.dispose]: () => removeStaged(dataDir) };
}

/** @throws Error where it can't be written, before anything has changed */
function openHead({ config, keys }: StoreNeeds) {
  const headFile = auditHeadFile(config, keys);
  headFile?.requireWritable();
  return { headFile, kept: headFile?.read() ?? null };
}

interface Compared {
  readonly ids: BackupIds;
  /** Whether the store in DATA_DIR went on from the backup, and knows all since. */
  readonly isContinued: boolean;
  /** Who is in the staged backup and was erased from the store since; null: not known. */
  readonly gone: readonly UserId[] | null;
}

function compareWith(needs: StoreNeeds, stage: string, kept: KeptHead | null): Promise<Compared> {
  return withStoreIn(needs, stage, async (backup) => {
    const ids = await readBackupIds(backup);
    const { dataDir } = needs.config;
    if (!hasDatabase(dataDir)) return { ids, isContinued: false, gone: null };
    return withStoreIn(needs, dataDir, async (store) => ({
      ids,
      isContinued: await isContinuation(store, ids, kept),
      gone: await erasedSince(store, { head: ids.head, users: usersOf(backup) }),
    }));
  });
}

interface EndRestored extends RestoreParts {
  /** Of the database, so that another one than the operator means is not changed. */
  readonly name: string;
}

/**
 * The same for a database that was restored with the tools of PostgreSQL: everything that may have
 * been ended since the backup is ended, in one transaction. Only while no service uses it.
 * @throws Error that says what to do; the database is then unchanged
 */
export async function endRestored(
  config: Config,
  { random, act, name, at }: EndRestored,
): Promise<EndedInDatabase> {
  const { database } = config;
  if (database === null) {
    throw new Error('DATABASE_URL is not set: name the file of `miftah backup` instead');
  }
  if (database.database !== name) {
    throw new Error(`DATABASE_URL names the database ${database.database}, and not ${name}`);
  }
  const needs = operatorNeeds(config, random, act);
  const { store, alone } = await openDatabaseWithoutService(needs);
  try {
    return await alone(async () => {
      // Else the head of a store that was never moved would be given to the empty database.
      await requireNobodyLeft(config, store, () => needs.keys);
      const { headFile, kept } = openHead(needs);
      const lastUserId = mostGiven(await readBackupIds(store), kept, { found: 0, at, random });
      // The heads of all instances are accepted by this row, if it is later than they are.
      const restoredAt = Math.max(at, (kept?.at ?? 0) + 1);
      const change = { at: restoredAt, disabled: [], keptOut: [], lastUserId, isContinued: false };
      const { counts, head } = await recover(needs, store, change);
      const headFault = writeAfterwards(headFile, head);
      return { ...counts, skippedTo: head.lastUserId, headFault };
    });
  } finally {
    await store.close();
  }
}

interface Tried {
  /** Of a backup. The caller has the lock. */
  readonly folder: string;
  readonly backup: string;
  /** What `AUDIT_HEAD_FILE` had before the backup was made. */
  readonly kept: KeptHead | null;
  readonly at: Ms;
}

/**
 * Does to a copy of the backup what a restore does, whatever store is in DATA_DIR, and looks whether
 * the copy has every row of the audit log before and after it. Nothing of it stays.
 * @throws Error that says why the backup can't be restored
 */
export async function tryRestore(
  needs: StoreNeeds,
  { folder, backup, kept, at }: Tried,
): Promise<{ readonly rows: number }> {
  using _staged = noneLeft(folder);
  const stage = stageBackup(folder, backup);
  liftFence(stage);
  return await withStoreIn(needs, stage, async (store) => {
    await requireWhole(store);
    if (kept !== null && !isEmptyHead(kept) && !(await store.knowsHead(kept))) {
      throw new Error(
        `it does not have row ${kept.count} of the audit log, as AUDIT_HEAD_FILE has it`,
      );
    }
    const lastUserId = await store.lastUserId();
    const nobody = { disabled: [], keptOut: [], lastUserId, isContinued: true };
    await recover(needs, store, { at, ...nobody });
    return { rows: await requireWhole(store) };
  });
}

/** @returns the number of the last row @throws Error */
async function requireWhole(store: Store): Promise<number> {
  const verdict = await store.verifyAudit();
  if (!verdict.ok) throw new Error(wordsOfBroken(verdict));
  return verdict.count;
}

interface Since extends Omit<Recovery, 'at' | 'isContinued'> {
  /** Nothing has happened in it, as after a start in the place of a store that was lost. */
  readonly isNew: boolean;
}

/** Facts that the store has and the backup lacks. */
async function readSince(needs: StoreNeeds): Promise<Since> {
  try {
    return await withStoreIn(needs, needs.config.dataDir, async (store) => {
      await requireKeys(store);
      return {
        disabled: await store.listDisabled(),
        keptOut: await store.listKeptOut(),
        lastUserId: await store.lastUserId(),
        isNew: (await store.auditHead()).count === 0,
      };
    });
  } catch (error) {
    if (!(error instanceof StoreOpenError)) throw error;
    const advice =
      'To restore without what it knows of people who were disabled since, move miftah.db and ' +
      'what stands beside it out of DATA_DIR';
    throw new Error(`${error.message} ${advice}`, { cause: error });
  }
}

interface Recovered {
  readonly counts: RecoveryCounts;
  readonly head: KeptHead;
}

function recoverStaged(
  needs: StoreNeeds,
  stage: string,
  change: Recovery,
  gone: readonly UserId[],
): Promise<Recovered & { readonly erased: number }> {
  return withStoreIn(needs, stage, async (store) => {
    const { counts } = await recover(needs, store, change);
    const erased = await eraseAgain(needs, store, change, gone);
    return { counts, erased, head: await readHead(store, change.at) };
  });
}

async function eraseAgain(
  { keys }: StoreNeeds,
  store: Store,
  { at, keptOut }: Recovery,
  gone: readonly UserId[],
): Promise<number> {
  const found = (await Promise.all(gone.map((id) => store.findUser(id)))).filter(
    (user) => user !== null,
  );
  for (const user of found) {
    // Whoever is kept out was disabled by the recovery. Whether that was so of each is not known.
    const keepsOut = user.disabledAt !== null && keptOut.length > 0;
    await eraseUser(store, allKeys(keys), user, { keepsOut, at });
  }
  return found.length;
}

async function recover(needs: StoreNeeds, store: Store, change: Recovery): Promise<Recovered> {
  await requireKeys(store);
  await store.bindTo(bindingOf(needs.config), change.at);
  const counts = await store.restore(change);
  return { counts, head: await readHead(store, change.at) };
}

async function withStoreIn<Result>(
  needs: StoreNeeds,
  directory: string,
  work: (store: Store) => Promise<Result>,
): Promise<Result> {
  const store = await openStoreInLockedFolder(needs, directory);
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}
