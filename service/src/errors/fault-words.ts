import { Refusal } from './refusal.ts';

/** What went wrong, and what an operator does about it. Neither ends with a full stop. */
export interface FaultWords {
  readonly what: string;
  /** Null where nothing is known. */
  readonly remedy: string | null;
}

/** The codes of the system for what a person can mend: what it means, and what to do. */
const FILE_FAULTS: Readonly<Record<string, readonly [meaning: string, remedy: string]>> = {
  EACCES: [
    'this user may not do that',
    'run this as the user of the service (`sudo -u USER` in front of it, or `runuser -u USER --`), ' +
      'or give what it names to this user with chown',
  ],
  EPERM: [
    'the system does not permit it',
    'run this as the user of the service (`sudo -u USER` in front of it, or `runuser -u USER --`)',
  ],
  ENOSPC: ['there is no space on the disk', 'free some space on that disk'],
  EDQUOT: ['the disk quota is used up', 'free some space, or raise the quota'],
  EROFS: ['its file system can only be read', 'name another place, or mount it writable'],
  ENOENT: ['it, or the folder for it, is not there', 'make the folder, or correct the path'],
  ENOTDIR: ['a part of the path is no folder', 'correct the path'],
  EISDIR: ['it is a folder', 'name a file'],
  EIO: ['the disk does not work', 'see the log of the system'],
  EMFILE: ['too many files are open', 'raise the limit of open files (`ulimit -n`, LimitNOFILE)'],
  ENFILE: ['too many files are open on the machine', 'raise fs.file-max'],
};

/** Of a write to a file that is open, of which the system does not say which one it is. */
const NO_ROOM: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT']);
const MAKE_ROOM = 'free some space on the disk of DATA_DIR, of AUDIT_HEAD_FILE, or of the output';

/** Result codes of SQLite (sqlite.org/rescode.html) by their low byte, with what to do. */
const SQLITE_REMEDIES: Readonly<Record<number, string>> = {
  8: 'see who may write the file and those beside it (-wal, -shm)',
  10: 'see the log of the system: the disk may not work',
  11: 'leave it as it is, stop the service, and restore a backup (`miftah restore`)',
  13: 'free some space on the disk',
  14: 'see who may read and write the file and those beside it (-wal, -shm)',
  26: 'leave it as it is, stop the service, and restore a backup (`miftah restore`)',
};

/** SQLSTATE codes of PostgreSQL (its documentation, appendix A). */
const SQL_STATES: Readonly<Record<string, string>> = {
  '25006': 'the server takes no writes: it is a standby, or set to read only',
  '28000': 'the server does not admit this user from here (see its pg_hba.conf)',
  '28P01': 'the server refuses the user or the password',
  '3D000': 'the database does not exist on the server',
  '3F000':
    'the role of DATABASE_URL may use no schema: have its owner run GRANT USAGE ON SCHEMA, or set ' +
    'the search_path of the role',
  '40P01': 'two transactions waited for each other',
  '42501':
    'the role of DATABASE_URL may not create or use the tables; see docs/several-instances.md',
  '42P01': 'a table is missing: run `miftah doctor`',
  '53100': 'there is no space on a disk of the server',
  '53200': 'the server has no memory left',
  '53300': 'the server has no connection left (max_connections)',
  '55P03': 'another session held a lock for too long (pg_locks)',
  '57014': 'the server ended the statement, which took too long (pg_stat_activity, pg_locks)',
  '57P01': 'the server ended the connection, because it stops or an administrator asked for it',
  '57P03': 'the server is starting, stopping or recovering',
};

/** What a code of PostgreSQL means to an operator; null for one that only the program can cause. */
export function sqlStateWords(sqlState: string): string | null {
  return SQL_STATES[sqlState] ?? null;
}

/** An error of the file system, of a store or of this program, for the person who can mend it. */
export function faultWords(error: unknown): FaultWords {
  if (error instanceof Refusal) return refusalWords(error);
  if (!(error instanceof Error)) return { what: String(error), remedy: null };
  const { message, code, path, errcode } = error as SystemFault;
  const known = code === undefined ? undefined : FILE_FAULTS[code];
  if (known !== undefined && path !== undefined) {
    return { what: `${path}: ${known[0]} (${code})`, remedy: known[1] };
  }
  if (code !== undefined && NO_ROOM.has(code)) return { what: message, remedy: MAKE_ROOM };
  const remedy = errcode === undefined ? undefined : SQLITE_REMEDIES[errcode & 0xff];
  return { what: message, remedy: remedy ?? null };
}

/** The same in one sentence, without its full stop. */
export function wordsOf(error: unknown): string {
  const { what, remedy } = faultWords(error);
  return remedy === null ? what : `${what}: ${remedy}`;
}

/**
 * What `miftah init` or root has written in the folder of the package is root's, until
 * systemd-tmpfiles gives it to the group of the service. Goes behind the fault; empty for others.
 */
export function wayOut(path: string, code: string): string {
  if (code !== 'EACCES' || !path.startsWith('/etc/miftah/')) return '';
  return (
    ': after `miftah init` or a change by root, `systemd-tmpfiles --create miftah.conf` gives it ' +
    'to the group of the service'
  );
}

/** What the system and SQLite add to an error. */
interface SystemFault extends Error {
  readonly code?: string;
  readonly path?: string;
  readonly errcode?: number;
}

/** The code is for callers; a store says the reason beside it. */
function refusalWords({ code, details: { reason, cause } }: Refusal): FaultWords {
  if (reason !== undefined) return { what: `${code}: ${reason}`, remedy: null };
  if (!code.startsWith('storage.') || cause === undefined) return { what: code, remedy: null };
  const { what, remedy } = faultWords(cause);
  return { what: `${code}: ${what}`, remedy };
}
