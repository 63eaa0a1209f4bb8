import { Refusal } from '../errors/refusal.ts';
import type { PushTransaction } from '../attempt/provider-transaction.ts';
import type { StatusPolls } from '../platform/coordination/coordination.port.ts';
import type {
  AttemptReference,
  Exchanged,
  RemoteProvider,
  ReturnedState,
  UnsignedResult,
} from './identity-provider.port.ts';
import type {
  ExchangeResult,
  ExpectedRedirect,
  ProviderApi,
  PushQuestion,
} from './provider-api.ts';
import type { PushStatus } from './push.ts';
import { askSeldom } from './ask-seldom.ts';

/** Adapts the provider's HTTP API to the port that the flows use. */
export function createRemoteProvider(
  api: ProviderApi,
  { hasPhoneFlow, polls }: { readonly hasPhoneFlow: boolean; readonly polls: StatusPolls },
): RemoteProvider {
  return { hasPhoneFlow, ...redirects(api), ...pushes(api, polls) };
}

function redirects(
  api: ProviderApi,
): Pick<RemoteProvider, 'openRedirect' | 'exchange' | 'verifyKept'> {
  return {
    async openRedirect({ attemptId, locale, scenario }, { address }) {
      const request = { requestId: attemptId, locale, userAddress: address, scenario };
      const { launchUrl, stateDigest, nonce, expiresAt } = await api.openSession(request);
      const session = { launchUrl, stateDigest, nonce, browserDigest: null, spoiledAt: null };
      const transaction = { kind: 'redirect', ...session, keptTokens: [] } as const;
      return { bindingCode: null, expiresAt, transaction };
    },

    exchange: async (back) => exchanged(await api.exchange(back.state, expectedOf(back))),
    verifyKept: async (kept, back) => exchanged(await api.verifyRedirect(kept, expectedOf(back))),
  };
}

function expectedOf({ address, attempt, transaction: { nonce } }: ReturnedState): ExpectedRedirect {
  const { attemptId: requestId, createdAt } = attempt;
  return { requestId, nonce, createdAt, userAddress: address };
}

function exchanged(result: ExchangeResult): Exchanged {
  switch (result.result) {
    case 'approved':
      return { status: 'approved', person: result.person };
    case 'not_redeemable':
      return { status: 'refused' };
    case 'unverified':
      return { status: 'unverified', kept: result.kept, refusal: result.refusal };
  }
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
      const transaction = {
        kind: 'push',
        transactionId,
        completedSeenAt: null,
        keptTokens: [],
      } as const;
      return { bindingCode, expiresAt, transaction };
    },

    async collectPush(attempt, transaction, now) {
      const question = questionOf(attempt, transaction);
      if (question === null) return 'waiting';
      return askSeldom(polls, attempt.attemptId, now, async (userAddress) =>
        resultOf(await api.pushStatus({ ...question, userAddress })),
      );
    },

    async readPush({ token, transId, requestId }, { attempt, transactionId }, cameAt) {
      const { attemptId, nationalId, createdAt } = attempt;
      if (nationalId === null) throw new Refusal('push.unverified');
      const message = { token, transactionId: transId, requestId };
      const expected = { requestId: attemptId, transactionId, nationalId, createdAt };
      const pushed = await api.verifyPush(message, expected, cameAt);
      const { result: status } = pushed;
      switch (status) {
        case 'approved':
          return { status, person: pushed.person };
        case 'unverified':
          return { status, kept: pushed.kept, refusal: pushed.refusal };
        case 'rejected':
        case 'expired':
          return { status };
      }
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
