import type { Parts } from '../../../service/src/program.ts';

type Store = Awaited<ReturnType<Parts['openStore']>>;
type Attempt = Parameters<Store['insertAttempt']>[0];

/**
 * The least that a store can do for a start, so that what remains is the service itself. It can be
 * read back, to see that the work was done, and refuses everything else.
 */
export function startOnlyStore(): Store {
  const attempts = new Map<string, Attempt>();
  return {
    async insertAttempt(attempt) {
      attempts.set(attempt.attemptId, attempt);
    },
    async findAttempt(attemptId) {
      const attempt = attempts.get(attemptId);
      return attempt === undefined ? null : { attempt, user: null };
    },
    purge: async () => ({ attempts: 0, tokens: 0, seals: 0 }),
    health: () => ({ ready: true }),
    close: async () => undefined,
    authenticateAttempt: refuse,
    rejectAttempt: refuse,
    failAttempt: refuse,
    missCompletion: refuse,
    redeemAttempt: refuse,
    missReplay: refuse,
    findToken: refuse,
    findTokenOfAttempt: refuse,
    listTokens: refuse,
    revokeToken: refuse,
  };
}

function refuse(): Promise<never> {
  return Promise.reject(new Error('the benchmark measures starts only on this store'));
}
