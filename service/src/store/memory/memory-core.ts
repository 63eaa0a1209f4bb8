import type { AttemptId } from '../../domain/attempt-id.ts';
import { attemptAt, type Attempt, type AttemptRecord } from '../../domain/attempt.ts';
import type { ApiTokenRecord } from '../../domain/api-token.ts';
import type { ChangeAction } from '../../domain/audit.ts';
import { Refusal } from '../../domain/errors/refusal.ts';
import type { Ms } from '../../domain/time.ts';
import type { StoreHealth, TokenWithUser } from '../../ports/store/index.ts';
import { MemoryAudit } from './memory-audit.ts';
import { MemoryCalls } from './memory-calls.ts';
import { MemoryPushes } from './memory-pushes.ts';
import { MemoryTokens } from './memory-tokens.ts';
import { MemoryTransactions } from './memory-transactions.ts';
import { MemoryUsers } from './memory-users.ts';

const NO_KEY = new Uint8Array();

export interface MemoryStoreOptions {
  /** Erases a requested identifier when its attempt ends, as a store with a vault does. */
  readonly erasesIdentifiers?: boolean;
  readonly auditKey?: Uint8Array;
}

/** The maps of the memory store, and the operations that all its parts use. */
export class MemoryCore {
  protected readonly attempts = new Map<AttemptId, AttemptRecord>();
  protected readonly users = new MemoryUsers();
  protected readonly tokens = new MemoryTokens();
  protected readonly transactions = new MemoryTransactions();
  protected readonly pushes = new MemoryPushes();
  protected readonly calls = new MemoryCalls();
  protected readonly auditLog: MemoryAudit;
  protected readonly erasesIdentifiers: boolean;
  #isClosed = false;

  constructor({ erasesIdentifiers = false, auditKey = NO_KEY }: MemoryStoreOptions = {}) {
    this.auditLog = new MemoryAudit(auditKey);
    this.erasesIdentifiers = erasesIdentifiers;
  }

  async recover(): Promise<void> {
    // A lack of memory is never temporary, so there is nothing to recover from.
  }

  health(): StoreHealth {
    return this.#isClosed ? { ready: false, reason: 'the store is closed' } : { ready: true };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
  }

  /** The attempt after a transition, or null if the domain refuses the transition. */
  protected change(
    attemptId: AttemptId,
    at: Ms,
    transition: (from: Attempt) => AttemptRecord,
  ): AttemptRecord | null {
    this.requireOpen();
    const attempt = this.attempts.get(attemptId);
    if (attempt === undefined) return null;
    try {
      const changed = transition(attemptAt(attempt, at));
      const ends = endsOf(changed).some((end, index) => end !== endsOf(attempt)[index]);
      const nationalId = ends && this.erasesIdentifiers ? null : changed.nationalId;
      const kept = { ...changed, nationalId };
      this.attempts.set(attemptId, kept);
      return kept;
    } catch (error) {
      if (error instanceof Refusal) return null;
      throw error;
    }
  }

  /** Appends the audit row of a changed attempt; does nothing for null. */
  protected audited(action: ChangeAction, at: Ms, attempt: AttemptRecord | null) {
    if (attempt === null) return null;
    const { attemptId, userId, client, endReason: detail } = attempt;
    this.auditLog.append({ action, at, attemptId, userId, client, detail });
    return attempt;
  }

  /** The attempt if it is in this state at this time, otherwise null. */
  protected attemptIn(state: Attempt['state'], attemptId: AttemptId, at: Ms): AttemptRecord | null {
    this.requireOpen();
    const attempt = this.attempts.get(attemptId);
    return attempt !== undefined && attemptAt(attempt, at).state === state ? attempt : null;
  }

  protected withUser(token: ApiTokenRecord | null): TokenWithUser | null {
    const user = this.users.get(token?.userId ?? null);
    return token === null || user === null ? null : { token, user };
  }

  protected requireOpen(): void {
    if (this.#isClosed) throw new Refusal('storage.unavailable');
  }
}

function endsOf({ authenticatedAt, rejectedAt, failedAt }: AttemptRecord) {
  return [authenticatedAt, rejectedAt, failedAt];
}
