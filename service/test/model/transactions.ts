import type { AttemptId } from '../../src/values/ids.ts';
import type { AttemptRecord } from '../../src/attempt/attempt.ts';
import type { Ms } from '../../src/values/time.ts';
import type {
  AttemptStore,
  AttemptWithTransaction,
  OpenTransaction,
} from '../../src/store/ports/store.port.ts';
import { failed } from './rules.ts';
import { beginFor } from './openid.ts';
import type { OpenTables, Tables } from './tables.ts';

export type TransactionStore = Pick<
  AttemptStore,
  | 'openTransaction'
  | 'findTransaction'
  | 'findByState'
  | 'bindBrowser'
  | 'replaceSession'
  | 'spoilAttempt'
  | 'expirePush'
  | 'recordApprovalSeen'
  | 'keepTokens'
  | 'keptPushes'
  | 'dropLateTokens'
>;

export function transactionStore(tables: OpenTables): TransactionStore {
  return {
    openTransaction: async (change) => openTransaction(tables(), change),
    findTransaction: async (attemptId) => findTransaction(tables(), attemptId),
    findByState: async (stateDigest) => {
      const attemptId = tables().transactions.ofState(stateDigest);
      return attemptId === null ? null : findTransaction(tables(), attemptId);
    },
    bindBrowser: async (attemptId, browserDigest, at) => {
      const { attempts, transactions } = tables();
      if (attempts.getIn('pending', attemptId, at) === null) return false;
      return transactions.bindBrowser(attemptId, browserDigest);
    },
    replaceSession: async (change) => {
      const { attempts, transactions } = tables();
      if (attempts.getIn('pending', change.attemptId, change.at) === null) return false;
      return transactions.replaceSession(change);
    },
    spoilAttempt: async (attemptId, at) => spoilAttempt(tables(), attemptId, at),
    expirePush: async (attemptId, at) => expirePush(tables(), attemptId, at),
    recordApprovalSeen: async (attemptId, at) => {
      const { attempts, transactions } = tables();
      if (attempts.getIn('pending', attemptId, at) === null) return null;
      return transactions.recordApprovalSeen(attemptId, at);
    },
    keepTokens: async ({ attemptId, at, tokens }) => {
      const { attempts, transactions } = tables();
      if (attempts.getIn('pending', attemptId, at) === null) return false;
      return transactions.keepTokens(attemptId, tokens);
    },
    keptPushes: async (at) => {
      const { attempts, transactions } = tables();
      return transactions.keptPushes().filter((id) => attempts.getIn('pending', id, at) !== null);
    },
    dropLateTokens: async (at) => {
      const { attempts, transactions } = tables();
      transactions.dropTokensOf((id) => attempts.getIn('pending', id, at) === null);
    },
  };
}

function openTransaction(
  tables: Tables,
  { attemptId, at, transaction, bindingCode, providerExpiresAt, begunFor }: OpenTransaction,
): AttemptRecord | null {
  const { attempts, transactions } = tables;
  if (!beginFor(tables, attemptId, begunFor)) return null;
  const attempt = attempts.getIn('pending', attemptId, at);
  if (attempt === null || transactions.has(attemptId)) return null;
  transactions.add(attemptId, transaction);
  const opened = { ...attempt, bindingCode, providerExpiresAt };
  attempts.replace(opened);
  return opened;
}

function findTransaction(
  { attempts, transactions }: Tables,
  attemptId: AttemptId,
): AttemptWithTransaction | null {
  const attempt = attempts.get(attemptId);
  const transaction = transactions.get(attemptId);
  return attempt === null || transaction === null ? null : { attempt, transaction };
}

/** The attempt itself changes only if it is already authenticated: it fails. */
function spoilAttempt(
  { attempts, transactions, audit }: Tables,
  attemptId: AttemptId,
  at: Ms,
): boolean {
  const authenticated = attempts.getIn('authenticated', attemptId, at);
  const open = authenticated ?? attempts.getIn('pending', attemptId, at);
  if (open === null || !transactions.spoil(attemptId, at)) return false;
  const spoiled =
    authenticated === null
      ? open
      : attempts.change(attemptId, (from) => failed(from, at, 'callback.browser_mismatch'));
  if (spoiled !== null) audit.appendAttempt('attempt.spoiled', at, spoiled);
  return true;
}

function expirePush({ attempts, transactions }: Tables, attemptId: AttemptId, at: Ms): boolean {
  const attempt = attempts.getIn('pending', attemptId, at);
  if (attempt === null || transactions.get(attemptId)?.kind !== 'push') return false;
  attempts.replace({ ...attempt, providerExpiresAt: at });
  return true;
}
