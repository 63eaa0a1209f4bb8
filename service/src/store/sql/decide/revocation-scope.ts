import type { UserId } from '../../../account/user.ts';
import type { RevocationScope } from '../../ports/store.port.ts';

/** Whose tokens and attempts a scope covers: null means anybody's, or with any client. */
interface ScopeOwner {
  readonly userId: UserId | null;
  readonly client: string | null;
}

export function scopeOwner(scope: RevocationScope): ScopeOwner {
  if (scope === 'all') return { userId: null, client: null };
  return 'userId' in scope
    ? { userId: scope.userId, client: null }
    : { userId: null, client: scope.client };
}

/** The detail of the audit row of a revocation. */
export function scopeName(scope: RevocationScope): 'all' | 'user' | 'client' {
  if (scope === 'all') return scope;
  return 'userId' in scope ? 'user' : 'client';
}
