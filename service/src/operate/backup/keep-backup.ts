import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Act } from '../../audit/act.ts';
import type { KeptBackup, Rotation } from '../../commands/command-context.ts';
import type { Config } from '../../config/config.ts';
import type { Random } from '../../platform/runtime.port.ts';
import { operatorNeeds } from '../../program/store-needs.ts';
import {
  backUp,
  lockFolder,
  removeStaged,
  StoreOpenError,
  syncDirectory,
} from '../../store/index.ts';
import { SECOND_MS, type Ms } from '../../values/time.ts';
import { auditHeadFile } from '../audit-head.ts';
import { tryRestore } from '../restore/restore.ts';
import { nameOfBackup, surplusOf } from './rotation.ts';

/** A copy that was not tried yet. What a killed command leaves is removed by the next one. */
const UNTRIED = 'untried.db';
/** A copy of which a restore was refused: until the next run, for whoever looks for the reason. */
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
  if (folder === resolve(config.dataDir)) {
    throw new Error(`${folder} is DATA_DIR: name another folder, best of another disk`);
  }
  const needs = operatorNeeds(config, random, act);
  using _lock = lockBackups(folder);
  removeLeft(folder);
  const file = join(folder, freeName(folder, at));
  // Read first: while the service runs, the file would soon be ahead of the copy.
  const kept = auditHeadFile(config, needs.keys)?.read() ?? null;
  const copy = join(folder, UNTRIED);
  backUp(config.dataDir, copy);
  const { rows } = await tryRestore(needs, { folder, backup: copy, kept, at }).catch(
    (error: unknown) => {
      renameSync(copy, join(folder, REFUSED));
      const why = error instanceof Error ? error.message : String(error);
      const what = `a restore of the copy was tried, and refused. It is ${join(folder, REFUSED)}`;
      throw new Error(`${what}, and no backup: ${why}`, { cause: error });
    },
  );
  renameSync(copy, file);
  syncDirectory(folder);
  return { file, rows, removed: removeSurplus(folder, file, rotation) };
}

/** Names have no parts of a second. */
function freeName(folder: string, at: Ms): string {
  const name = nameOfBackup(at);
  return existsSync(join(folder, name)) ? freeName(folder, at + SECOND_MS) : name;
}

/** Whatever the clock says of the others, the new one stays. */
function removeSurplus(folder: string, file: string, rotation: Rotation): number {
  const files = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile());
  const names = files.map(({ name }) => name);
  const surplus = surplusOf(names, rotation).filter((name) => join(folder, name) !== file);
  for (const name of surplus) rmSync(join(folder, name));
  return surplus.length;
}

/** @throws Error while another command makes a backup in this folder */
function lockBackups(folder: string): Disposable {
  try {
    return lockFolder(folder);
  } catch (error) {
    if (!(error instanceof StoreOpenError) || error.code !== 'store.locked') throw error;
    throw new Error(`another backup is made in ${folder} just now`, { cause: error });
  }
}

/** The caller has the lock, so the copies are of a command that has ended. They need the space. */
function removeLeft(folder: string): void {
  removeStaged(folder);
  for (const name of [UNTRIED, REFUSED]) rmSync(join(folder, name), { force: true });
}
