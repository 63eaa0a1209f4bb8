import { isEmptyHead, type KeptHead } from '../../audit/audit-head.ts';
import type { AuditHead } from '../../audit/audit.ts';
import { idsGivenSince, PLACE_DIGITS } from '../../values/ids.ts';
import type { Ms } from '../../values/time.ts';
import type { Random } from '../../platform/runtime.port.ts';
import type { Store } from '../../store/ports/store.port.ts';

/** What a backup knows of the ids that were given. */
export interface BackupIds {
  readonly head: AuditHead;
  /** Of the last row of its log. */
  readonly at: Ms;
  readonly lastUserId: number;
}

export async function readBackupIds(store: Store): Promise<BackupIds> {
  const head = await store.auditHead();
  const [last] = await store.readAudit({ after: head.count - 1, limit: 1 });
  return { head, at: last?.at ?? 0, lastUserId: await store.lastUserId() };
}

/**
 * Whether a store is what became of the backup, and nothing is known that came after it. Then it
 * knows every id that was given.
 */
export async function isContinuation(
  store: Store,
  backup: BackupIds,
  kept: KeptHead | null,
): Promise<boolean> {
  if (!(await store.containsHead(backup.head))) return false;
  return kept === null || isEmptyHead(kept) || store.knowsHead(kept);
}

/**
 * The number up to which every id may be somebody's, where no store knows it: the highest that is
 * known, and what may have been given since.
 */
export function mostGiven(
  backup: BackupIds,
  kept: KeptHead | null,
  { found, at, random }: { readonly found: number; readonly at: Ms; readonly random: Random },
): number {
  const known = Math.max(backup.lastUserId, kept?.lastUserId ?? 0, found);
  // A head of an earlier version has a time, but no id that was the highest then.
  const keptAt = kept === null || kept.lastUserId === null ? 0 : kept.at;
  return (
    known +
    idsGivenSince(Math.max(backup.at, keptAt), at, () => Number(random.digits(PLACE_DIGITS)))
  );
}
