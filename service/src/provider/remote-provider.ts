import { Refusal } from '../domain/errors/refusal.ts';
import type { PushTransaction } from '../domain/provider-transaction.ts';
import type { StatusPolls } from '../ports/coordination.ts';
import type {
  AttemptReference,
  RemoteProvider,
  UnsignedResult,
} from '../ports/identity-provider.ts';
import type { ProviderApi, PushQuestion } from './provider-api.ts';
import type { PushStatus } from './push.ts';
import { askSeldom } from './ask-seldom.ts';

/** Adapts the provider's HTTP API to the port that the flows use. */
export function createRemoteProvider(
  api: ProviderApi,
  { hasPhoneFlow, polls }: { readonly hasPhoneFlow: boolean; readonly polls: StatusPolls },
): RemoteProvider {
  return { hasPhoneFlow, ...redirects(api), ...pushes(api, polls) };
}

function redirects(api: ProviderApi): Pick<RemoteProvider, 'openRedirect' | 'exchange'> {
  return {
    async openRedirect({ attemptId, locale, scenario }, { address }) {
      const request = { requestId: attemptId, locale, userAddress: address, scenario };
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

function pushes(api: ProviderApi, polls: StatusPolls): Pushes {
  return {
    async requestPush({ attemptId, locale, nationalId, scenario }, { address }) {
      if (nationalId === null) throw new Error('a push needs somebody to go to');
      const order = { requestId: attemptId, locale, nationalId, userAddress: address, scenario };
      // Called before the push is sent: a failure after it would lose the provider's answer.
      await polls.begin(attemptId, address);
      const { bindingCode, transactionId, expiresAt } = await api.requestPush(order);
      const transaction = { kind: 'push', transactionId, completedSeenAt: null } as const;
      return { bindingCode, expiresAt, transaction };
    },

    async collectPush(attempt, transaction, now) {
      const question = questionOf(attempt, transaction);
      if (question === null) return 'waiting';
      return askSeldom(polls, attempt.attemptId, now, async (userAddress) =>
        resultOf(await api.pushStatus({ ...question, userAddress })),
      );
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

/** If only the push expired, the attempt expires by itself: its stored expiry is the push's. */
function resultOf(status: PushStatus): UnsignedResult {
  if (status === 'completed') return 'approved';
  return status === 'rejected' ? 'rejected' : 'waiting';
}

function questionOf(
  { attemptId: requestId, nationalId, bindingCode }: AttemptReference,
  { transactionId }: PushTransaction,
): Omit<PushQuestion, 'userAddress'> | null {
  if (nationalId === null || bindingCode === null) return null;
  return { requestId, nationalId, transactionId, bindingCode };
}
