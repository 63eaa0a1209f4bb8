import type { AuditHead } from '../../audit/audit.ts';
import { inPages } from '../../values/pages.ts';
import type { UserId } from '../../account/user.ts';
import type { Store } from '../../store/ports/store.port.ts';

const PAGE = 2000;

/** What the store has to know of a backup, to say who was erased since. */
export interface BackupState {
  readonly head: AuditHead;
  /** Who is in it. */
  readonly users: AsyncIterable<readonly UserId[]>;
}

/**
 * The ids that the backup has and the store has no more, because these people were erased.
 * Nothing else says so: the audit log names nobody. Null when it can't be told: the store has
 * another history than the backup, its log was cut since, or people were given up with a lost key,
 * who are wanted back with it.
 */
export async function erasedSince(
  store: Store,
  { head, users }: BackupState,
): Promise<readonly UserId[] | null> {
  if (!(await store.containsHead(head))) return null;
  const actions = await actionsSince(store, head.count);
  if (actions === null || actions.has('people.forgotten')) return null;
  if (!actions.has('user.erased')) return [];
  const gone: UserId[] = [];
  for await (const ids of users) {
    for (const id of ids) if ((await store.findUser(id)) === null) gone.push(id);
  }
  return gone;
}

/** The ids of all users of a store. */
export function usersOf(store: Store): AsyncIterable<readonly UserId[]> {
  const read = (after: number) => store.listUserIds(after, PAGE);
  return inPages(read, 0, { size: PAGE, placeOf: (id: UserId) => id });
}

/** Null when rows are missing in between. */
async function actionsSince(store: Store, sequence: number): Promise<ReadonlySet<string> | null> {
  const actions = new Set<string>();
  let last = sequence;
  const read = (after: number) => store.readAudit({ after, limit: PAGE });
  const pages = { size: PAGE, placeOf: (row: { readonly sequence: number }) => row.sequence };
  for await (const rows of inPages(read, sequence, pages)) {
    for (const row of rows) {
      if (row.sequence !== last + 1) return null;
      last = row.sequence;
      actions.add(row.action);
    }
  }
  return actions;
}
