import type { AttemptId } from '../../../src/values/ids.ts';
import type { Digest } from '../../../src/values/secret.ts';
import type { KeptToken, ProviderTransaction } from '../../../src/attempt/provider-transaction.ts';
import type { Ms } from '../../../src/values/time.ts';
import type { ReplaceSession } from '../../../src/store/ports/store.port.ts';
import { StatementError } from '../../../src/store/store-fault.ts';

/** The provider transactions of the model, which has already checked the attempt. */
export class TransactionTable {
  readonly #byAttempt = new Map<AttemptId, ProviderTransaction>();

  has(attemptId: AttemptId): boolean {
    return this.#byAttempt.has(attemptId);
  }

  get(attemptId: AttemptId): ProviderTransaction | null {
    return this.#byAttempt.get(attemptId) ?? null;
  }

  add(attemptId: AttemptId, transaction: ProviderTransaction): void {
    const names = [...this.#byAttempt.values()].map((one) => nameOf(one));
    if (names.includes(nameOf(transaction))) throw new StatementError('the transaction exists');
    this.#byAttempt.set(attemptId, transaction);
  }

  ofState(stateDigest: string): AttemptId | null {
    for (const [attemptId, transaction] of this.#byAttempt) {
      if (transaction.kind === 'redirect' && transaction.stateDigest === stateDigest) {
        return attemptId;
      }
    }
    return null;
  }

  bindBrowser(attemptId: AttemptId, browserDigest: Digest): boolean {
    const transaction = this.get(attemptId);
    if (transaction?.kind !== 'redirect' || transaction.spoiledAt !== null) return false;
    if (transaction.browserDigest !== null) return transaction.browserDigest === browserDigest;
    this.#byAttempt.set(attemptId, { ...transaction, browserDigest });
    return true;
  }

  replaceSession({ attemptId, session, browserDigest }: ReplaceSession): boolean {
    const transaction = this.get(attemptId);
    if (transaction?.kind !== 'redirect' || transaction.spoiledAt !== null) return false;
    if (transaction.browserDigest !== null) return false;
    const other = this.ofState(session.stateDigest);
    if (other !== null && other !== attemptId) throw new StatementError('the transaction exists');
    const { launchUrl, stateDigest, nonce } = session;
    const replaced = { ...transaction, launchUrl, stateDigest, nonce, browserDigest };
    this.#byAttempt.set(attemptId, replaced);
    return true;
  }

  eraseLaunchUrl(attemptId: AttemptId): void {
    const transaction = this.get(attemptId);
    if (transaction === null) return;
    const erased = { ...transaction, keptTokens: [] };
    const isRedirect = erased.kind === 'redirect';
    this.#byAttempt.set(attemptId, isRedirect ? { ...erased, launchUrl: null } : erased);
  }

  eraseLaunchUrls(): void {
    for (const attemptId of this.#byAttempt.keys()) this.eraseLaunchUrl(attemptId);
  }

  /** True when this call spoiled the attempt. */
  spoil(attemptId: AttemptId, spoiledAt: Ms): boolean {
    const transaction = this.get(attemptId);
    if (transaction?.kind !== 'redirect' || transaction.spoiledAt !== null) return false;
    this.#byAttempt.set(attemptId, { ...transaction, launchUrl: null, keptTokens: [], spoiledAt });
    return true;
  }

  isSpoiled(attemptId: AttemptId): boolean {
    const transaction = this.get(attemptId);
    return transaction?.kind === 'redirect' && transaction.spoiledAt !== null;
  }

  recordApprovalSeen(attemptId: AttemptId, at: Ms): Ms | null {
    const transaction = this.get(attemptId);
    if (transaction?.kind !== 'push') return null;
    const completedSeenAt = transaction.completedSeenAt ?? at;
    this.#byAttempt.set(attemptId, { ...transaction, completedSeenAt });
    return completedSeenAt;
  }

  keepTokens(attemptId: AttemptId, keptTokens: readonly KeptToken[]): boolean {
    const transaction = this.get(attemptId);
    if (transaction === null || this.isSpoiled(attemptId)) return false;
    this.#byAttempt.set(attemptId, { ...transaction, keptTokens });
    return true;
  }

  keptPushes(): AttemptId[] {
    return [...this.#byAttempt]
      .filter(([, { kind, keptTokens }]) => kind === 'push' && keptTokens.length > 0)
      .map(([attemptId]) => attemptId)
      .toSorted();
  }

  dropTokensOf(isLate: (attemptId: AttemptId) => boolean): void {
    for (const [attemptId, transaction] of this.#byAttempt) {
      if (isLate(attemptId)) this.#byAttempt.set(attemptId, { ...transaction, keptTokens: [] });
    }
  }

  delete(attemptId: AttemptId): void {
    this.#byAttempt.delete(attemptId);
  }
}

/** The provider's unique name of a transaction. */
function nameOf(transaction: ProviderTransaction): string {
  return transaction.kind === 'push' ? transaction.transactionId : transaction.stateDigest;
}
