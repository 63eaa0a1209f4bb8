import { expect, it } from 'vitest';
import { authentication, sampleAttempt, START } from '../../test/conformance/samples.ts';
import type { ApiTokenId } from './api-token.ts';
import { parseNationalId } from './user.ts';
import type { RevokedPage, Store } from '../store/ports/store.port.ts';
import { createMemoryStore } from '../store/index.ts';
import { revokeAll, TOKENS_AT_ONCE } from './revoke-all.flow.ts';

const NOW = 1_800_000_000_000;

it('ends many tokens in portions, with a pause after each but the last', async () => {
  const calls: unknown[] = [];
  const store = storeWith(2, (call) => calls.push(call));
  const pause = async () => void calls.push('pause');
  const counts = await revokeAll(store, NOW, { client: 'bank' }, pause);
  expect(counts).toEqual({ tokens: 2 * TOKENS_AT_ONCE + 7, attempts: 3 });
  expect(calls).toEqual([null, 'pause', 'id 1', 'pause', 'id 2']);
});

it('ends what the OpenID Provider keeps in portions before, with a pause after each', async () => {
  const calls: unknown[] = [];
  const parts = ['a', 'b', null];
  const store: Store = {
    ...storeWith(0, () => calls.push('tokens')),
    async endSomeOpenid({ client, after }) {
      calls.push([client, after]);
      return parts.shift() ?? null;
    },
  };
  await revokeAll(store, NOW, { client: 'bank' }, async () => void calls.push('pause'));
  expect(calls).toEqual([['bank', null], 'pause', ['bank', 'a'], 'pause', ['bank', 'b'], 'tokens']);
});

it('ends few tokens in one transaction, without a pause', async () => {
  const store = createMemoryStore();
  expect(await revokeAll(store, NOW, 'all', refuseToPause)).toEqual({ tokens: 0, attempts: 0 });
  expect(await store.readAudit({ after: 0, limit: 10 })).toMatchObject([{ count: 0 }]);
});

/** A store with three sign-ins, so many full pages of tokens, and seven more. */
function storeWith(pages: number, onCall: (call: unknown) => void): Store {
  let done = 0;
  return {
    ...createMemoryStore(),
    revokeAll: async (_, __, page): Promise<RevokedPage> => {
      onCall(page?.after);
      const attempts = done === 0 ? 3 : 0;
      done += 1;
      if (done > pages) return { tokens: 7, attempts, last: null };
      return { tokens: page?.limit ?? 0, attempts, last: `id ${done}` as ApiTokenId };
    },
  };
}

function refuseToPause(): Promise<void> {
  return Promise.reject(new Error('there is nothing to wait for'));
}

it('ends the phone sign-ins that ask for the number of a user, with a row each, and no others', async () => {
  const store = createMemoryStore();
  const [known, asking, other] = [
    sampleAttempt({ expiresAt: START + 2 }),
    sampleAttempt(),
    sampleAttempt({ nationalId: parseNationalId('1000000019') }),
  ];
  for (const one of [known, asking, other]) await store.insertAttempt(one);
  const login = await store.authenticateAttempt(authentication(known));
  const user = login?.user ?? expect.unreachable('nobody has signed in');
  const counts = await revokeAll(store, START + 5, { userId: user.id }, refuseToPause);
  expect(counts).toEqual({ tokens: 0, attempts: 1 });
  const failed = { failedAt: START + 5, endReason: 'attempt.failed' };
  expect((await store.findAttempt(asking.attemptId))?.attempt).toMatchObject(failed);
  expect((await store.findAttempt(other.attemptId))?.attempt).toEqual(other);
  const rows = await store.readAudit({ after: 0, limit: 10, attemptId: asking.attemptId });
  expect(rows).toMatchObject([{ action: 'attempt.failed', at: START + 5 }]);
  expect(await store.verifyAudit()).toMatchObject({ ok: true });
});
