import type { Config } from '../config.ts';
import { isEmptyHead } from '../domain/audit-head.ts';
import { isoTimestamp, type Ms } from '../domain/time.ts';
import { AuditHeadFile } from '../platform/audit-head-file.ts';
import type { Store } from '../ports/store/index.ts';
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

export async function keepHead(store: Store, file: AuditHeadFile | null, at: Ms): Promise<void> {
  file?.write({ ...(await store.auditHead()), at });
}
