import { parseUserId, type User, type UserId } from '../../domain/user.ts';
import type { Recovery } from '../../ports/store/index.ts';
import type { PlannedRecovery } from '../recovery-units.ts';

/**
 * Decides who is disabled, and which users are added for that.
 * @param known for each of the disabled users, the user in the backup, or null
 * @param own the highest id that the backup has given
 */
export function planRecovery(
  { at, disabled, lastUserId }: Recovery,
  known: readonly (User | null)[],
  own: number,
): PlannedRecovery {
  const last = Math.max(own, lastUserId);
  const toDisable = known.filter((user) => user !== null && user.disabledAt === null);
  const missing = disabled.filter((_, index) => known[index] === null);
  // Ids above the backup's highest were given later, to exactly these people, so they can keep
  // them.
  const clashing = missing.filter(({ id }) => id <= own);
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
