import type { Config } from '../config/config.ts';
import { isEmptyHead, type KeptHead } from '../audit/audit-head.ts';
import { isoTimestamp, type Ms } from '../values/time.ts';
import { AuditHeadFile } from '../platform/files/audit-head-file.ts';
import type { Store } from '../store/ports/store.port.ts';
import type { Runtime } from '../program/mode.ts';
import type { ServerKeys } from '../platform/keys/server-keys.port.ts';
import { auditKeysOf } from '../platform/keys/audit-keys.ts';

/** Null when no `AUDIT_HEAD_FILE` is set. */
export function auditHeadFile(
  { auditHeadFile: path }: Pick<Config, 'auditHeadFile'>,
  keys: ServerKeys,
) {
  return path === null ? null : new AuditHeadFile(path, () => auditKeysOf(keys));
}

/** Null for one that no key proves too: that is told where it is checked. */
export function provedHead(
  config: Pick<Config, 'auditHeadFile'>,
  keys: ServerKeys,
): KeptHead | null {
  try {
    return auditHeadFile(config, keys)?.read() ?? null;
  } catch {
    return null;
  }
}

/** The store lacks rows that an instance has seen: what was ended in them may be good again. */
export class StoreBehind extends Error {}

const BEHIND =
  'an instance has seen a later end of the audit log than the database has (`store.behind` in the ' +
  'audit log): it was restored, recovered, or promoted without its last rows, and what was ended in ' +
  'them may be good again';

/** What to do about a store that lacks rows: one in a database, or a file. */
export const TO_END_RESTORE =
  'Stop all instances, and run `miftah restore --database NAME` once, on any machine: then all of ' +
  'them start';
export const TO_PUT_BACK =
  'If the store is in a database, set DATABASE_URL (or DATABASE_URL_FILE) again. If it is a backup, ' +
  'take it out of DATA_DIR, put back what was there, and use `miftah restore FILE`. If it is another ' +
  'store on purpose, give it another AUDIT_HEAD_FILE';

/** Where a check of the head is made. */
interface CheckedStore {
  readonly store: Store;
  /** Several instances use it: what one of them has seen is told to all, by a row of the log. */
  readonly isShared: boolean;
  readonly at: Ms;
}

/**
 * Called before anything else is written. A store without the row in the head file is an older
 * copy, or its log was cut at the end. @throws StoreBehind, Error, that say what to do
 */
export async function requireKeptHead(
  checked: CheckedStore,
  file: AuditHeadFile | null,
): Promise<void> {
  file?.read();
  await requireLastHead(checked, file);
}

/** The same of a service that runs, by what it has read or written last. */
export async function requireLastHead(
  checked: CheckedStore,
  file: AuditHeadFile | null,
): Promise<void> {
  const { store, isShared, at } = checked;
  await requireNotBehind(checked);
  const kept = file?.last ?? null;
  if (file === null || kept === null || isEmptyHead(kept) || (await store.knowsHead(kept))) return;
  // No head is known any more once another instance has written that row, perhaps just now.
  await requireNotBehind(checked);
  if (isShared) await store.recordEvent({ at, action: 'store.behind' });
  const older = olderThan(file, kept);
  const more = isShared ? `: ${BEHIND}. ${TO_END_RESTORE}` : `. ${TO_PUT_BACK}`;
  throw new StoreBehind(older + more);
}

async function requireNotBehind({ store, isShared }: CheckedStore): Promise<void> {
  if (isShared && (await store.isBehind())) throw new StoreBehind(`${BEHIND}. ${TO_END_RESTORE}`);
}

function olderThan({ path }: AuditHeadFile, { count, at }: KeptHead): string {
  return (
    `this store is older than the head of its audit log in ${path}: that has row ${count}, of ` +
    `${isoTimestamp(at)}, which the store does not have`
  );
}

/** The id is read last, so that it is at least that of the row. */
export async function readHead(store: Store, at: Ms): Promise<KeptHead> {
  const head = await store.auditHead();
  return { ...head, at, lastUserId: await store.lastUserId() };
}

/** The store has changed for good: what was done in it has to be told whatever happens here. */
export function writeAfterwards(file: AuditHeadFile | null, head: KeptHead): string | null {
  try {
    file?.write(head);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** What became of AUDIT_HEAD_FILE after its key was given up. */
interface RenewedHead {
  /** Where the earlier one is now, for whoever finds its key; null: there was none. */
  readonly keptAs: string | null;
  readonly fault: string | null;
}

/** Runs a change after which nobody can prove the file, and begins a new one. @throws Error before it */
export async function withNewHead(
  { store, at }: Pick<CheckedStore, 'store' | 'at'>,
  file: AuditHeadFile | null,
  change: () => Promise<unknown>,
): Promise<RenewedHead> {
  file?.requireWritable();
  await change();
  const keptAs = file?.setAside() ?? null;
  return { keptAs, fault: writeAfterwards(file, await readHead(store, at)) };
}

/**
 * Counts a file that can't be written, because its line in the log is one among many. A store that
 * is away is not counted: other numbers and alarms tell of it.
 */
export async function keepHead(
  { store, clock, meter }: Pick<Runtime, 'store' | 'clock' | 'meter'>,
  file: AuditHeadFile | null,
): Promise<void> {
  if (file === null) return;
  const { last } = file;
  // What proves that rows were lost is not overwritten.
  if (last !== null && !isEmptyHead(last) && !(await store.knowsHead(last))) {
    throw new StoreBehind(olderThan(file, last));
  }
  const head = await readHead(store, clock.now());
  try {
    file.write(head);
  } catch (error) {
    meter.count('miftah_audit_head_failures_total');
    throw error;
  }
}
