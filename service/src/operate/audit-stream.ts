import type { AuditHead, AuditRow } from '../audit/audit.ts';
import type { Config } from '../config/config.ts';
import { wordsOf } from '../errors/fault-words.ts';
import { cursorFile } from '../platform/files/cursor-file.ts';
import type { Runtime } from '../program/mode.ts';
import type { Store } from '../store/ports/store.port.ts';
import { isoTimestamp, MINUTE_MS, type Ms } from '../values/time.ts';
import { fault, ok, warning, type Finding } from './doctor/finding.ts';

type Log = Pick<Store, 'containsHead' | 'readAudit'>;

interface Broken {
  readonly what: string;
  readonly remedy: string;
}

/** Where the reader of AUDIT_CURSOR_FILE is in the audit log. */
interface Reader {
  /** What keeps it from going on; null: nothing that can be seen here. */
  readonly broken: Broken | null;
  /** Null: it has not begun, or nobody can tell. */
  readonly place: AuditHead | null;
}

async function readerOf(log: Log, path: string): Promise<Reader> {
  const place = placeOrFault(path);
  if (place === null) return { broken: null, place };
  if ('what' in place) return { broken: place, place: null };
  return { broken: (await log.containsHead(place)) ? null : lost(path, place), place };
}

function placeOrFault(path: string): AuditHead | Broken | null {
  try {
    return cursorFile(path).look();
  } catch (error) {
    const remedy =
      'Name the file of `miftah audit --follow --cursor`, and let the service read it.';
    return { what: `AUDIT_CURSOR_FILE can't be read: ${wordsOf(error)}.`, remedy };
  }
}

const lost = (path: string, { count }: AuditHead) => ({
  what: `The audit log does not have row ${count}, at which the reader of ${path} is: it can't go on.`,
  remedy: 'After a restore have it begin anew: docs/backup.md, step 4 of Restore.',
});

/** The oldest row that a reader at this place has not taken; null: there is none. */
async function rowAfter(log: Log, place: AuditHead | null): Promise<AuditRow | null> {
  const [row] = await log.readAudit({ after: place?.count ?? 0, limit: 1 });
  return row ?? null;
}

/** The file is that of another program, so it is read again each time. */
export async function showAuditStream({ config, store, meter, clock }: Runtime): Promise<void> {
  const { auditCursorFile: path } = config;
  if (path === null) return;
  const { broken, place } = await readerOf(store, path);
  // One that can't go on has all rows before it, as one that begins.
  const next = await rowAfter(store, broken === null ? place : null);
  meter.auditStreamBehind(next === null ? 0 : Math.max(0, clock.now() - next.at));
}

const CHECK = 'audit.stream';
/** It looks each second, and is away while the service restarts. */
const LONG_MS: Ms = 5 * MINUTE_MS;

/** Whether other tools get the audit log, where AUDIT_CURSOR_FILE says who reads it. */
export async function examineStream(
  { auditCursorFile: path }: Config,
  log: Log,
  now: Ms,
): Promise<Finding[]> {
  if (path === null) return [];
  const { broken, place } = await readerOf(log, path);
  if (broken !== null) return [fault(CHECK, broken.what, broken.remedy)];
  const next = await rowAfter(log, place);
  if (next === null || now - next.at < LONG_MS) {
    return [ok(CHECK, `The reader of ${path} has row ${place?.count ?? 0} of the audit log.`)];
  }
  const what = `The reader of ${path} has not taken row ${next.sequence} of ${isoTimestamp(next.at)}.`;
  const remedy = 'See whether it runs: `systemctl status miftah-audit`, and its journal.';
  return [warning(CHECK, what, remedy)];
}
