import { Refusal } from '../domain/errors/refusal.ts';
import type { ProviderTransaction } from '../domain/provider-transaction.ts';
import type {
  AttemptReference,
  ProviderStart,
  IdentityProvider,
} from '../ports/identity-provider.ts';
import type { SignedResults } from '../ports/signed-results.ts';
import type { RemoteProvider } from './remote-contract.ts';
import { StatusPolls } from './status-polls.ts';

/** The provider at the other end of the network, as the flows see it. */
export function createLiveProvider(
  remote: RemoteProvider,
  { hasPhoneFlow }: { readonly hasPhoneFlow: boolean },
): IdentityProvider & SignedResults {
  return { isRemote: true, hasPhoneFlow, ...questions(remote), ...signedResults(remote) };
}

type Questions = Pick<IdentityProvider, 'openRedirect' | 'requestPush' | 'collect'>;

function questions(remote: RemoteProvider): Questions {
  const polls = new StatusPolls();
  return {
    async openRedirect({ attemptId, locale }, { address }): Promise<ProviderStart> {
      const request = { requestId: attemptId, locale, userAddress: address };
      const { launchUrl, stateDigest, nonce, expiresAt } = await remote.openSession(request);
      const session = { launchUrl, stateDigest, nonce, browserDigest: null };
      return {
        bindingCode: null,
        expiresAt,
        transaction: { kind: 'redirect', ...session, spoiledAt: null },
      };
    },

    async requestPush({ attemptId, locale, nationalId }, { address }): Promise<ProviderStart> {
      if (nationalId === null) throw new Error('a push needs somebody to go to');
      const order = { requestId: attemptId, locale, nationalId, userAddress: address };
      const { bindingCode, transactionId, expiresAt } = await remote.requestPush(order);
      polls.begin(attemptId, address);
      const push = { transactionId, completedSeenAt: null };
      return { bindingCode, expiresAt, transaction: { kind: 'push', ...push } };
    },

    async collect(attempt, transaction, now) {
      const question = questionOf(attempt, transaction);
      if (question === null) return { result: 'waiting' };
      const status = await polls.ask(attempt.attemptId, now, (userAddress) =>
        remote.pushStatus({ ...question, userAddress }),
      );
      if (status === 'completed') return { result: 'unproven' };
      // An attempt whose push has expired expires with it, by the moment that was stored.
      return status === 'rejected'
        ? { result: 'rejected', reason: 'attempt.rejected' }
        : { result: 'waiting' };
    },
  };
}

function signedResults(remote: RemoteProvider): SignedResults {
  return {
    async exchange({ state, address, attempt, transaction: { nonce } }) {
      const { attemptId: requestId, createdAt } = attempt;
      const expected = { requestId, nonce, createdAt, userAddress: address };
      const exchanged = await remote.exchange(state, expected);
      return exchanged.result === 'approved' ? exchanged.person : null;
    },

    async readPush({ token, transId, requestId }, { attempt, transactionId }) {
      const { attemptId, nationalId, createdAt } = attempt;
      if (nationalId === null) throw new Refusal('push.unverified');
      const message = { token, transactionId: transId, requestId };
      const expected = { requestId: attemptId, transactionId, nationalId, createdAt };
      const pushed = await remote.verifyPush(message, expected);
      return pushed.result === 'approved'
        ? { status: 'approved', person: pushed.person }
        : { status: pushed.result };
    },
  };
}

function questionOf(attempt: AttemptReference, transaction: ProviderTransaction | null) {
  const { attemptId: requestId, nationalId, bindingCode } = attempt;
  if (transaction?.kind !== 'push' || nationalId === null || bindingCode === null) return null;
  const { transactionId } = transaction;
  return { requestId, nationalId, transactionId, bindingCode };
}
