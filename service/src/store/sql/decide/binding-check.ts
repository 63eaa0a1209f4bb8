import {
  describeBinding,
  isSameBinding,
  type StoreBinding,
} from '../../../values/store-binding.ts';
import { StoreOpenError } from '../../store-fault.ts';

const ELSEWHERE = 'Give this service another DATA_DIR (or DATABASE_URL)';

/**
 * Compares the store's binding with the mode and provider that it is to be used for, and gives it.
 * @throws StoreOpenError unless they are the same
 */
export function requireBinding(found: StoreBinding | null, wish: StoreBinding): StoreBinding {
  const wanted = describeBinding(wish);
  if (found === null) {
    const what = 'The store has attempts, users or tokens, and does not say for which';
    const advice = `It was to be used in ${wanted}. ${ELSEWHERE}, or restore a backup of this one.`;
    throw new StoreOpenError('store.unbound', `${what} mode they were made. ${advice}`);
  }
  if (isSameBinding(found, wish)) return found;
  const what = `The store belongs to ${describeBinding(found)}`;
  const advice = `${ELSEWHERE}, or set it up as the store says.`;
  throw new StoreOpenError(
    'store.bound_otherwise',
    `${what}. It was to be used in ${wanted}, and people of the one must not meet the other. ${advice}`,
  );
}
