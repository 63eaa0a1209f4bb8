import type { AuditHead } from '../domain/audit.ts';
import { inPages } from '../domain/pages.ts';
import { parseUserId, type UserId } from '../domain/user.ts';
import type { Store } from '../ports/store/index.ts';

const AUDIT_PAGE = 2000;

/** What the store has to know of a backup, to say who was erased since. */
export interface BackupState {
  readonly head: AuditHead;
  readonly lastUserId: number;
}

/**
 * The ids that the backup may have and the store has no more, because these people were erased.
 * Nothing else says so: the audit log names nobody. Null when it can't be told: the store has
 * another history than the backup, its log was cut since, or people were given up with a lost key,
 * who are wanted back with it.
 */
export async function erasedSince(
  store: Store,
  { head, lastUserId }: BackupState,
): Promise<readonly UserId[] | null> {
  if (!(await store.containsHead(head))) return null;
  const actions = await actionsSince(store, head.count);
  if (actions === null || actions.has('people.forgotten')) return null;
  if (!actions.has('user.erased')) return [];
  const gone: UserId[] = [];
  for (let number = 1; number <= lastUserId; number += 1) {
    const id = parseUserId(number);
    if (id !== null && (await store.findUser(id)) === null) gone.push(id);
  }
  return gone;
}

/** Null when rows are missing in between. */
async function actionsSince(store: Store, sequence: number): Promise<ReadonlySet<string> | null> {
  const actions = new Set<string>();
  let last = sequence;
  const read = (after: number) => store.readAudit({ after, limit: AUDIT_PAGE });
  const pages = { size: AUDIT_PAGE, placeOf: (row: { readonly sequence: number }) => row.sequence };
  for await (const rows of inPages(read, sequence, pages)) {
    for (const row of rows) {
      if (row.sequence !== last + 1) return null;
      last = row.sequence;
      actions.add(row.action);
    }
  }
  return actions;
}
