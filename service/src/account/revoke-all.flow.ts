import type { ApiTokenId } from './api-token.ts';
import { attemptAt } from '../attempt/attempt.ts';
import type { Ms } from '../values/time.ts';
import type { RevocationCounts, RevocationScope, Store } from '../store/ports/store.port.ts';

/** Tokens per transaction, limited because other writes wait meanwhile. */
export const TOKENS_AT_ONCE = 2000;

/** The same of what the OpenID Provider keeps. */
const RECORDS_AT_ONCE = 2000;

/**
 * Ends every token in the scope, and every sign-in under way. In each `pause` the service writes.
 * After an interruption another call does the rest.
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
    if (after === null) total.attempts += await failNaming(store, at, scope);
    after = page.last;
    if (after === null) return total;
    await pause();
  }
}

/** What is left of it after this, or comes meanwhile, ends with the first tokens. */
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
async function failNaming(store: Store, at: Ms, scope: RevocationScope): Promise<number> {
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
