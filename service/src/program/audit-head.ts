import type { Config } from '../config.ts';
import { isEmptyHead, type KeptHead } from '../domain/audit-head.ts';
import { isoTimestamp, type Ms } from '../domain/time.ts';
import { AuditHeadFile } from '../platform/audit-head-file.ts';
import type { Store } from '../ports/store/index.ts';
import type { Runtime } from './mode.ts';
import { auditKeysOf, type ServerKeys } from './store-needs.ts';

/** Null when no `AUDIT_HEAD_FILE` is set. */
export function auditHeadFile({ auditHeadFile: path }: Config, keys: ServerKeys) {
  return path === null ? null : new AuditHeadFile(path, auditKeysOf(keys));
}

/**
 * Called before anything is written. A store without the row in the head file is an older copy, or
 * its log was cut at the end. @throws Error that says what to do
 */
export async function requireKeptHead(store: Store, file: AuditHeadFile | null): Promise<void> {
  const kept = file?.read() ?? null;
  if (file === null || kept === null || isEmptyHead(kept)) return;
  if (await store.containsHead(kept)) return;
  throw new Error(
    `this store is older than the head of its audit log in ${file.path}: that has row ` +
      `${kept.count}, of ${isoTimestamp(kept.at)}, which the store does not have. If it is a backup, ` +
      'take it out of DATA_DIR, put back what was there, and use `miftah restore FILE`. If it is ' +
      'another store on purpose, give it another AUDIT_HEAD_FILE',
  );
}

/** The id is read last, so that it is at least that of the row. */
export async function readHead(store: Store, at: Ms): Promise<KeptHead> {
  const head = await store.auditHead();
  return { ...head, at, lastUserId: await store.lastUserId() };
}

/** Counts a failure, because its line in the log is one among many. */
export async function keepHead(
  { store, clock, meter }: Pick<Runtime, 'store' | 'clock' | 'meter'>,
  file: AuditHeadFile | null,
): Promise<void> {
  try {
    if (file !== null) file.write(await readHead(store, clock.now()));
  } catch (error) {
    meter.count('miftah_audit_head_failures_total');
    throw error;
  }
}
