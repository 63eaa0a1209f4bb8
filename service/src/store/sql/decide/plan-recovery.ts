import type { Ms } from '../../../values/time.ts';
import { parseUserId, type User, type UserId } from '../../../account/user.ts';
import type { Recovery } from '../../ports/store.port.ts';

/** The changes of the port's `restore`, decided after reading which users the backup has. */
export interface PlannedRecovery {
  readonly at: Ms;
  readonly lastUserId: number;
  /** Users in the backup who are not disabled there. */
  readonly toDisable: readonly UserId[];
  /** Users who are missing in the backup, with a free id. */
  readonly toAdd: readonly User[];
}

/**
 * Decides who is disabled, and which users are added for that.
 * @param known for each of the disabled users, the user in the backup, or null; and after them
 *   users in the backup who are kept out
 * @param own the highest id that the backup has given
 */
export function planRecovery(
  { at, disabled, lastUserId, isContinued }: Recovery,
  known: readonly (User | null)[],
  own: number,
): PlannedRecovery {
  const last = Math.max(own, lastUserId);
  const toDisable = known.filter((user) => user !== null && user.disabledAt === null);
  const missing = disabled.filter((_, index) => known[index] === null);
  // Ids above the backup's highest were given later, to exactly these people, so they can keep
  // them. Another store may have given them to others.
  const clashing = missing.filter(({ id }) => !isContinued || id <= own);
  const toAdd = missing.map((user) => {
    const place = clashing.indexOf(user);
    return place === -1 ? user : { ...user, id: idNumbered(last + 1 + place) };
  });
  return {
    at,
    lastUserId: last + clashing.length,
    toDisable: toDisable.flatMap((user) => (user === null ? [] : [user.id])),
    toAdd,
  };
}

function idNumbered(number: number): UserId {
  const id = parseUserId(number);
  if (id === null) throw new Error('there is no user number left');
  return id;
}
