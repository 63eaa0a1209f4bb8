import type { UserId } from '../../src/account/user.ts';
import type { RevocationScope } from '../../src/store/ports/store.port.ts';
import { scopeOwner } from '../../src/store/sql/decide/revocation-scope.ts';

interface Owned {
  readonly userId: UserId | null;
  readonly client: string;
}

export function isInScope(scope: RevocationScope, owned: Owned): boolean {
  const { userId, client } = scopeOwner(scope);
  return (userId ?? owned.userId) === owned.userId && (client ?? owned.client) === owned.client;
}
