import type { UserId } from '../../domain/user.ts';
import type { RevocationScope } from '../../ports/store/index.ts';

interface Owned {
  readonly userId: UserId | null;
  readonly client: string;
}

export function isInScope(scope: RevocationScope, { userId, client }: Owned): boolean {
  if (scope === 'all') return true;
  return 'userId' in scope ? scope.userId === userId : scope.client === client;
}

/** The scope as values of a statement, in which null means no condition. */
export function scopeValues(scope: RevocationScope) {
  return {
    user_id: scope !== 'all' && 'userId' in scope ? scope.userId : null,
    client: scope !== 'all' && 'client' in scope ? scope.client : null,
  };
}

export function scopeName(scope: RevocationScope): 'all' | 'user' | 'client' {
  if (scope === 'all') return scope;
  return 'userId' in scope ? 'user' : 'client';
}
