import type { ApiTokenId } from './api-token.ts';
import { attemptAt } from '../attempt/attempt.ts';
import type { Ms } from '../values/time.ts';
import type { RevocationCounts, RevocationScope, Store } from '../store/ports/store.port.ts';

/** Tokens per transaction, limited because other writes wait meanwhile. */
export const TOKENS_AT_ONCE = 2000;

/** Records of the OpenID Provider per transaction, for the same reason. */
const RECORDS_AT_ONCE = 2000;

/**
 * Ends every token in the scope, and every sign-in under way. Between two transactions it waits for
 * `pause`, so that the service can write. After an interruption another call does the rest.
 */
export async function revokeAll(
  store: Store,
  at: Ms,
  scope: RevocationScope,
  pause: () => Promise<void>,
): Promise<RevocationCounts> {
  if (scope === 'all' || 'client' in scope) await endOpenid(store, at, scope, pause);
  const total = { tokens: 0, attempts: 0 };
  let after: ApiTokenId | null = null;
  for (;;) {
    const page = await store.revokeAll(at, scope, { after, limit: TOKENS_AT_ONCE });
    total.tokens += page.tokens;
    total.attempts += page.attempts;
    const isFirst = after === null;
    if (isFirst) total.attempts += await failAttemptsNaming(store, at, scope);
    after = page.last;
    if (after === null) return total;
    await pause();
  }
}

/**
 * Ends the OpenID Provider's records in parts, because there may be very many. The first transaction
 * with tokens ends those of the scope that are left, which have come since.
 */
async function endOpenid(
  store: Store,
  at: Ms,
  scope: 'all' | { readonly client: string },
  pause: () => Promise<void>,
): Promise<void> {
  const client = scope === 'all' ? null : scope.client;
  let after: string | null = null;
  for (;;) {
    after = await store.endSomeOpenid({ client, after, limit: RECORDS_AT_ONCE, at });
    if (after === null) return;
    await pause();
  }
}

/**
 * Fails the pending attempts that ask for the number of the user, so that nobody waits for them. The
 * store lets none of them become a login of the user any more.
 * @returns how many
 */
async function failAttemptsNaming(store: Store, at: Ms, scope: RevocationScope): Promise<number> {
  const user = scope === 'all' || 'client' in scope ? null : await store.findUser(scope.userId);
  if (user === null) return 0;
  const { attempts } = await store.readRecords(user, []);
  let failed = 0;
  for (const attempt of attempts) {
    if (attemptAt(attempt, at).state !== 'pending') continue;
    const { attemptId } = attempt;
    const ended = await store.failAttempt({ attemptId, at, reason: 'attempt.failed' });
    if (ended !== null) failed += 1;
  }
  return failed;
}
