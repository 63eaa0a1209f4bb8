import { constants, existsSync, statfsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import type { Config } from '../../config/config.ts';
import { fault, ok, warning, type Finding } from './finding.ts';
import { asMebibytes, MEBIBYTE } from '../mebibytes.ts';
import {
  GROUP_RIGHTS,
  GROUP_WRITES,
  hasMode,
  OTHERS_RIGHTS,
  OTHERS_WRITE,
} from '../../platform/files/modes.ts';
import { isOpen } from '../../platform/files/private-files.ts';
import { KEY_FILE } from '../../platform/keys/secret-key.ts';
import { SERVER_IDENTITY_FILE } from '../../platform/keys/server-identity-file.ts';
import { shellWord } from '../../platform/shell-word.ts';
import { STAGE, STORE_FILES } from '../../store/index.ts';
import { examineSettingsFiles, type ReadSettings } from './settings-files.ts';

const FOLDER = 'data.folder';

const AS_ITS_USER =
  'Run this command as the user of the service: `sudo -u USER` in front of it, or `runuser -u USER --`.';

/** The owners and modes of the files that the service trusts. Windows has none to look at. */
export function examineFiles(loaded: ReadSettings): Finding[] {
  if (process.platform === 'win32') return [];
  const { config } = loaded;
  return [...examineFolder(config), ...examineSettingsFiles(loaded), ...examineHeadPlace(config)];
}

function examineFolder({ dataDir: folder, database }: Config): Finding[] {
  if (!existsSync(folder)) return [missingFolder(folder, database !== null)];
  if (!statSync(folder).isDirectory()) {
    return [
      fault(FOLDER, `DATA_DIR ${folder} is no folder.`, 'Set it to the folder of the service.'),
    ];
  }
  const { R_OK, W_OK, X_OK } = constants;
  if (!isOpen(folder, R_OK | W_OK | X_OK)) return [closedFolder(folder)];
  const findings: Finding[] = [];
  if (hasMode(folder, OTHERS_WRITE)) {
    const what = `Every user may write into ${folder}, so the service does not start.`;
    findings.push(fault(FOLDER, what, `Run: chmod o-w ${shellWord(folder)}`));
  }
  if (hasMode(folder, GROUP_WRITES)) {
    const what = `Every user of its group may write into ${folder}.`;
    findings.push(
      warning(FOLDER, what, `Unless that is meant, run: chmod g-w ${shellWord(folder)}`),
    );
  }
  const paths = [KEY_FILE, SERVER_IDENTITY_FILE, ...STORE_FILES].map((name) => join(folder, name));
  for (const path of paths.filter(
    (one) => existsSync(one) && hasMode(one, OTHERS_RIGHTS + GROUP_RIGHTS),
  )) {
    const what = `Other users may open ${path}.`;
    findings.push(
      fault(FOLDER, what, `Run: chmod 600 ${shellWord(path)}. The next start does it too.`),
    );
  }
  findings.push(...foreignFiles(folder, paths), ...stagedBackup(folder));
  return findings.length === 0 ? [ok(FOLDER, `${folder} is for its owner only.`)] : findings;
}

function stagedBackup(folder: string): Finding[] {
  const path = join(folder, STAGE);
  if (!existsSync(path)) return [];
  const what = `${path} has a copy of a backup, with people in it, of a restore that did not end.`;
  const remedy = `If no restore runs, start the service, or run: rm -r ${shellWord(path)}`;
  return [warning(FOLDER, what, remedy)];
}

/** For anybody else the files in it look as if they were not there. */
function closedFolder(folder: string): Finding {
  const { uid } = statSync(folder);
  const own = process.getuid?.() ?? uid;
  const lacks = isOpen(folder, constants.R_OK | constants.X_OK) ? 'write into' : 'open';
  const what =
    uid === own
      ? `DATA_DIR ${folder} may not be read and written by its own user ${uid}.`
      : `DATA_DIR ${folder} is of the user ${uid}, and this command runs as the user ${own}, who may not ${lacks} it.`;
  const remedy = uid === own ? `Run: chmod 700 ${shellWord(folder)}` : AS_ITS_USER;
  return fault(FOLDER, what, remedy);
}

/** Beside a database the folder holds only which server was used. */
function missingFolder(folder: string, hasDatabase: boolean): Finding {
  const what = `DATA_DIR ${folder} is not there`;
  if (hasDatabase) {
    const why = `${what}: a former primary of the database would not be recognised.`;
    return warning(FOLDER, why, 'Set DATA_DIR to a folder that stays, or start the service once.');
  }
  const remedy = 'Set DATA_DIR to the folder of the service, or start it once.';
  return fault(FOLDER, `${what}.`, remedy);
}

/** The service refuses files of another user; those of a mounted folder may be root's. */
function foreignFiles(folder: string, paths: readonly string[]): Finding[] {
  const owner = statSync(folder).uid;
  const foreign = paths.filter((path) => existsSync(path) && statSync(path).uid !== owner);
  return (owner === 0 ? [] : foreign).map((path) => {
    const what = `${path} does not belong to the owner of its folder, so the service does not start.`;
    return fault(FOLDER, what, 'Give it to the user of the service with chown.');
  });
}

function examineHeadPlace({ auditHeadFile }: Config): Finding[] {
  if (auditHeadFile !== null) return [];
  const what = 'No AUDIT_HEAD_FILE is set: nobody would see that the end of the log was cut off.';
  return [warning('audit.head', what, 'Set it to a file on another disk, or of another user.')];
}

const SPACE = 'data.space';
/** A commit needs some pages of the log; below this the next one may find none. */
const FULL = MEBIBYTE;
/** Some hundred thousand attempts: time to make place while everything still works. */
const SCARCE = 64 * MEBIBYTE;

/** Whether the disk of DATA_DIR takes anything more. */
export function examineSpace({ dataDir: folder }: Config): readonly Finding[] {
  if (!existsSync(folder)) return [];
  const { bavail, bsize, files, ffree } = statfsSync(folder);
  const free = bavail * bsize;
  const remedy = 'Free space on that disk. The service takes writes again by itself.';
  // Some file systems do not count their files, and say that there can be none.
  if (files > 0 && ffree === 0) {
    return [fault(SPACE, `The disk of DATA_DIR ${folder} has no place for another file.`, remedy)];
  }
  const what = `The disk of DATA_DIR ${folder} has ${asMebibytes(free)} left`;
  if (free < FULL) return [fault(SPACE, `${what}, so nothing can be written.`, remedy)];
  return [free < SCARCE ? warning(SPACE, `${what}.`, remedy) : ok(SPACE, `${what}.`)];
}
