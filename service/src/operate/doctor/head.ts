import { constants, existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Config } from '../../config/config.ts';
import { isEmptyHead } from '../../audit/audit-head.ts';
import { fault, ok, warning, type Finding } from './finding.ts';
import { isoTimestamp } from '../../values/time.ts';
import { isOpen } from '../../platform/files/private-files.ts';
import { SERVER_IDENTITY_FILE } from '../../platform/keys/server-identity-file.ts';
import { shellWord } from '../../platform/shell-word.ts';
import type { StoreInspection } from '../../store/index.ts';
import { auditHeadFile, TO_END_RESTORE, TO_PUT_BACK } from '../audit-head.ts';
import type { ServerKeys } from '../../platform/keys/server-keys.port.ts';

const CHECK = 'audit.head';

/** Whether the audit log reaches its head in AUDIT_HEAD_FILE, and whether that file can be kept. */
export async function examineHead(
  config: Config,
  store: StoreInspection,
  keys: ServerKeys,
): Promise<Finding[]> {
  if (await store.isBehind()) {
    const what = 'An instance has seen a later end of the audit log than the database has.';
    return [fault(CHECK, what, `${TO_END_RESTORE}.`)];
  }
  const file = auditHeadFile(config, keys);
  if (file === null) return [];
  const place = examinePlace(file.path);
  if (place !== null) return [place];
  try {
    const kept = file.read();
    if (kept === null) return [missingHead(config, file.path)];
    if (isEmptyHead(kept) || (await store.knowsHead(kept))) {
      return [ok(CHECK, `The log reaches row ${kept.count} of ${isoTimestamp(kept.at)}.`)];
    }
    const what = `The log does not have row ${kept.count}, which ${file.path} has seen.`;
    const remedy = config.database === null ? TO_PUT_BACK : TO_END_RESTORE;
    return [fault(CHECK, what, `${remedy}.`)];
  } catch (error) {
    const what = error instanceof Error ? error.message : String(error);
    return [fault(CHECK, what, 'Keep a copy of it, and find out who has changed it.')];
  }
}

/** The service replaces the file, so it writes into the folder. Null: it can. */
function examinePlace(path: string): Finding | null {
  const folder = dirname(resolve(path));
  if (!existsSync(folder)) {
    const what = `The folder ${folder} of AUDIT_HEAD_FILE is not there, so nothing is kept in it.`;
    return fault(CHECK, what, `Run as the user of the service: mkdir -m 700 ${shellWord(folder)}`);
  }
  if (isOpen(folder, constants.W_OK | constants.X_OK)) return null;
  const what = `This user may not write into ${folder}, the folder of AUDIT_HEAD_FILE.`;
  return fault(CHECK, what, 'Give the folder to the user of the service, and look as that user.');
}

/** An instance whose DATA_DIR knows no server of the database has never started there. */
function missingHead({ database, dataDir }: Config, path: string): Finding {
  if (database !== null && !existsSync(join(dataDir, SERVER_IDENTITY_FILE))) {
    const what = `${path} is not there: this instance has not started with this DATA_DIR yet.`;
    return warning(CHECK, what, 'Its first start writes it. If it has started, see DATA_DIR.');
  }
  const what = `${path} is not there.`;
  return fault(CHECK, what, 'The service writes it at its start. If it did, somebody took it.');
}
