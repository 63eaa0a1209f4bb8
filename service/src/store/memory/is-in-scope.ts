import type { UserId } from '../../account/user.ts';
import type { RevocationScope } from '../ports/store.port.ts';
import { scopeOwner } from '../shared/revocation-scope.ts';

interface Owned {
  readonly userId: UserId | null;
  readonly client: string;
}

export function isInScope(scope: RevocationScope, owned: Owned): boolean {
  const { userId, client } = scopeOwner(scope);
  return (userId ?? owned.userId) === owned.userId && (client ?? owned.client) === owned.client;
}
