import type { RevocationScope } from '../../ports/store/index.ts';
import { scopeOwner } from '../shared/revocation-scope.ts';

/** The scope as values of a statement, in which null means no condition. */
export function scopeValues(scope: RevocationScope) {
  const { userId, client } = scopeOwner(scope);
  return { user_id: userId, client };
}
