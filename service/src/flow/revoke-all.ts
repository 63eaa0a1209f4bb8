import type { ApiTokenId } from '../domain/api-token.ts';
import type { Ms } from '../domain/time.ts';
import type { RevocationCounts, RevocationScope, Store } from '../ports/store/index.ts';

/** Tokens per transaction, limited because other writes wait meanwhile. */
export const TOKENS_AT_ONCE = 2000;

/**
 * Ends every token in the scope, and every sign-in that is about to become one. In each `pause` the
 * service writes. After an interruption another call does the rest.
 */
export async function revokeAll(
  store: Store,
  at: Ms,
  scope: RevocationScope,
  pause: () => Promise<void>,
): Promise<RevocationCounts> {
  const total = { tokens: 0, attempts: 0 };
  let after: ApiTokenId | null = null;
  for (;;) {
    const page = await store.revokeAll(at, scope, { after, limit: TOKENS_AT_ONCE });
    total.tokens += page.tokens;
    total.attempts += page.attempts;
    after = page.last;
    if (after === null) return total;
    await pause();
  }
}
