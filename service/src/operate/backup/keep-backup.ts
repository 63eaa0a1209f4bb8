import { existsSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type { Act } from '../../audit/act.ts';
import type { KeptBackup, Rotation } from '../../commands/command-context.ts';
import type { Config } from '../../config/config.ts';
import { wordsOf } from '../../errors/fault-words.ts';
import type { Random } from '../../platform/runtime.port.ts';
import { operatorNeeds } from '../../program/store-needs.ts';
import {
  backUp,
  lockFolder,
  placeError,
  removeCopy,
  removeStaged,
  sizeOfCopy,
  StoreOpenError,
  syncDirectory,
} from '../../store/index.ts';
import { SECOND_MS, type Ms } from '../../values/time.ts';
import { auditHeadFile } from '../audit-head.ts';
import { tryRestore } from '../restore/restore.ts';
import { isDatabase, isScarce, requireOwnFolder, requireSpace } from './backup-folder.ts';
import { isNameOfBackup, nameOfBackup, surplusOf } from './rotation.ts';

/** A copy that was not tried yet. What a killed command leaves is removed by the next one. */
const UNTRIED = 'untried.db';
/**
 * A copy of which a restore was refused: until the next run, for whoever looks for the reason. It is
 * not kept where the space is needed, by the service perhaps.
 */
const REFUSED = 'refused.db';

interface Wanted {
  readonly folder: string;
  readonly rotation: Rotation;
  readonly random: Random;
  readonly act: Act;
  readonly at: Ms;
}

/**
 * Makes a backup in a folder of backups, and removes those that are kept no longer. A copy gets the
 * name of a backup when a restore of it has succeeded, and before that no other one is removed.
 * @throws Error that says what failed; all earlier backups are then where they were
 */
export async function keepBackup(config: Config, wanted: Wanted): Promise<KeptBackup> {
  const { rotation, random, act, at } = wanted;
  const folder = resolve(wanted.folder);
  // Otherwise a mistyped place would get the backups of years.
  const above = dirname(folder);
  if (!existsSync(above)) throw new Error(`${above} is not there: make it first`);
  const warning = requireOwnFolder(folder, config.dataDir);
  const needs = operatorNeeds(config, random, act);
  using _lock = lockBackups(folder);
  removeLeft(folder);
  const file = join(folder, freeName(folder, at));
  // Read first: while the service runs, the file would soon be ahead of the copy.
  const kept = auditHeadFile(config, needs.keys)?.read() ?? null;
  requireSpace(folder, sizeOfCopy(config.dataDir));
  const copy = join(folder, UNTRIED);
  backUp(config.dataDir, copy);
  const { rows } = await tryRestore(needs, { folder, backup: copy, kept, at }).catch(
    (error: unknown) => {
      throw refusedCopy(folder, error);
    },
  );
  renameSync(copy, file);
  syncDirectory(folder);
  return { file, rows, removed: removeSurplus(folder, file, rotation), warning };
}

function refusedCopy(folder: string, error: unknown): Error {
  const copy = join(folder, UNTRIED);
  const what = 'a restore of the copy was tried, and refused';
  if (isScarce(folder, statSync(copy).size, error)) {
    removeCopy(copy);
    const scarce = `There is no space in ${folder} to keep it: it is removed, and there is no backup`;
    return new Error(`${what}: ${wordsOf(error)}. ${scarce}`, { cause: error });
  }
  renameSync(copy, join(folder, REFUSED));
  const place = `It is ${join(folder, REFUSED)}, and no backup`;
  return new Error(`${what}. ${place}: ${wordsOf(error)}`, { cause: error });
}

/** Names have no parts of a second. */
function freeName(folder: string, at: Ms): string {
  const name = nameOfBackup(at);
  return existsSync(join(folder, name)) ? freeName(folder, at + SECOND_MS) : name;
}

/**
 * What is no copy takes no place of one, and neither does one of later than the new one, when the
 * clock was wrong: they would push out good ones. The new one stays whatever is asked for.
 */
function removeSurplus(folder: string, file: string, rotation: Rotation): number {
  const last = basename(file);
  const names = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && isNameOfBackup(entry.name) && entry.name <= last)
    .map(({ name }) => name)
    .filter((name) => isDatabase(join(folder, name)));
  const surplus = surplusOf(names, rotation).filter((name) => name !== last);
  for (const name of surplus) rmSync(join(folder, name));
  return surplus.length;
}

/** @throws Error while another command makes a backup in this folder */
function lockBackups(folder: string): Disposable {
  try {
    return lockFolder(folder);
  } catch (error) {
    if (!(error instanceof StoreOpenError)) throw error;
    if (error.code === 'store.unavailable') throw noFolder(folder, error.cause ?? error);
    if (error.code !== 'store.locked') throw error;
    throw new Error(`another backup is made in ${folder} just now`, { cause: error });
  }
}

const noFolder = (folder: string, cause: unknown) =>
  placeError(`the folder of the backup, ${folder}, can't be made, or takes no files`, cause);

/** The caller has the lock, so the copies are of a command that has ended. They need the space. */
function removeLeft(folder: string): void {
  removeStaged(folder);
  for (const name of [UNTRIED, REFUSED]) removeCopy(join(folder, name));
}
