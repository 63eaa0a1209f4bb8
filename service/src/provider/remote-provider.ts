import { Refusal } from '../domain/errors/refusal.ts';
import type { PushTransaction } from '../domain/provider-transaction.ts';
import type { AttemptReference, RemoteProvider } from '../ports/identity-provider.ts';
import type { ProviderApi, PushQuestion } from './provider-api.ts';
import { StatusPolls } from './status-polls.ts';

/** Adapts the provider's HTTP API to the port that the flows use. */
export function createRemoteProvider(
  api: ProviderApi,
  { hasPhoneFlow }: { readonly hasPhoneFlow: boolean },
): RemoteProvider {
  return { hasPhoneFlow, ...redirects(api), ...pushes(api) };
}

function redirects(api: ProviderApi): Pick<RemoteProvider, 'openRedirect' | 'exchange'> {
  return {
    async openRedirect({ attemptId, locale }, { address }) {
      const request = { requestId: attemptId, locale, userAddress: address };
      const { launchUrl, stateDigest, nonce, expiresAt } = await api.openSession(request);
      const session = { launchUrl, stateDigest, nonce, browserDigest: null, spoiledAt: null };
      return { bindingCode: null, expiresAt, transaction: { kind: 'redirect', ...session } };
    },

    async exchange({ state, address, attempt, transaction: { nonce } }) {
      const { attemptId: requestId, createdAt } = attempt;
      const expected = { requestId, nonce, createdAt, userAddress: address };
      const exchanged = await api.exchange(state, expected);
      return exchanged.result === 'approved' ? exchanged.person : null;
    },
  };
}

type Pushes = Pick<RemoteProvider, 'requestPush' | 'collectPush' | 'readPush'>;

function pushes(api: ProviderApi): Pushes {
  const polls = new StatusPolls();
  return {
    async requestPush({ attemptId, locale, nationalId }, { address }) {
      if (nationalId === null) throw new Error('a push needs somebody to go to');
      const order = { requestId: attemptId, locale, nationalId, userAddress: address };
      const { bindingCode, transactionId, expiresAt } = await api.requestPush(order);
      polls.begin(attemptId, address);
      const transaction = { kind: 'push', transactionId, completedSeenAt: null } as const;
      return { bindingCode, expiresAt, transaction };
    },

    async collectPush(attempt, transaction, now) {
      const question = questionOf(attempt, transaction);
      if (question === null) return 'waiting';
      const status = await polls.ask(attempt.attemptId, now, (userAddress) =>
        api.pushStatus({ ...question, userAddress }),
      );
      if (status === 'completed') return 'approved';
      // If only the push expired, the attempt expires by itself: its stored expiry is the push's.
      return status === 'rejected' ? 'rejected' : 'waiting';
    },

    async readPush({ token, transId, requestId }, { attempt, transactionId }) {
      const { attemptId, nationalId, createdAt } = attempt;
      if (nationalId === null) throw new Refusal('push.unverified');
      const message = { token, transactionId: transId, requestId };
      const expected = { requestId: attemptId, transactionId, nationalId, createdAt };
      const pushed = await api.verifyPush(message, expected);
      return pushed.result === 'approved'
        ? { status: 'approved', person: pushed.person }
        : { status: pushed.result };
    },
  };
}

function questionOf(
  { attemptId: requestId, nationalId, bindingCode }: AttemptReference,
  { transactionId }: PushTransaction,
): Omit<PushQuestion, 'userAddress'> | null {
  if (nationalId === null || bindingCode === null) return null;
  return { requestId, nationalId, transactionId, bindingCode };
}
