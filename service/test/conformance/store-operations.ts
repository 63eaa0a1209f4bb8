import type { AttemptId } from '../../src/values/ids.ts';
import {
  type AttemptRecord,
  type CompletionProof,
  attemptTokenDigest,
} from '../../src/attempt/attempt.ts';
import { completionCodeDigest } from '../../src/attempt/redeem/completion-code.ts';
import type { Digest } from '../../src/values/secret.ts';
import type { Flow } from '../../src/attempt/flow.ts';
import type { PushBudget } from '../../src/attempt/start/push-budget.ts';
import { MINUTE_MS, type Ms } from '../../src/values/time.ts';
import type { Person, User, UserId } from '../../src/account/user.ts';
import type { Store, TokenOwner } from '../../src/store/ports/store.port.ts';
import {
  attemptNumbered,
  digestNamed,
  opening,
  pushTransaction,
  redirectTransaction,
  samplePerson,
  sampleCall,
  SEAL,
  START,
  tokenNumbered,
} from './samples.ts';
import type { Operation } from './store-arbitraries.ts';

/** More than the number of operations in a run. */
const POSITIONS = 1000;

/**
 * Small, so that it is soon used up. One store serves many runs, so the service's own limit is off.
 */
const BUDGET: PushBudget = {
  person: [
    { quota: 2, lengthMs: 2 * MINUTE_MS },
    { quota: 3, lengthMs: 5 * MINUTE_MS },
  ],
  client: { quota: 4, lengthMs: 5 * MINUTE_MS },
  service: { quota: 1_000_000, lengthMs: MINUTE_MS },
  coolDownMs: MINUTE_MS,
};

type WithoutAttempt = 'advance' | 'insert' | 'list' | 'purge';

/**
 * Performs operations on one store. Two performers with the same run number write rows with the
 * same ids.
 */
export class Performer {
  readonly #store: Store;
  readonly #run: number;
  readonly #attempts = new Map<number, AttemptRecord>();
  readonly #inserted: AttemptRecord[] = [];
  readonly #keyOfUser = new Map<UserId, string>();
  readonly #results: unknown[] = [];
  #now: Ms = START;

  constructor(store: Store, run: number) {
    this.#store = store;
    this.#run = run;
  }

  /** The results so far, with people instead of the user ids of this store. */
  get results(): unknown {
    const named = (key: string, value: unknown) =>
      key === 'userId' || key === 'id' ? (this.#keyOfUser.get(value as UserId) ?? value) : value;
    const results: unknown = JSON.parse(JSON.stringify(this.#results, named));
    return results;
  }

  /** The position, not the order of execution, determines the ids of new rows and of the result. */
  async perform(operation: Operation, position: number): Promise<void> {
    const serial = this.#run * POSITIONS + position;
    const result = await this.#start(operation, serial).catch(nameOf);
    this.#learn(result);
    this.#results[position] = [operation.op, result];
  }

  /** Adds to the results what the store has of this run: attempts, tokens, users, audit rows. */
  async readAll(): Promise<void> {
    const store = this.#store;
    const users = [...this.#keyOfUser.keys()].map((id) => store.findUser(id));
    const attempts = this.#inserted.map(async ({ attemptId }) => [
      await store.findAttempt(attemptId),
      await store.findTransaction(attemptId),
      await store.findTokenOfAttempt(attemptId),
      await store.listCalls(attemptId),
      await this.#readAudit(attemptId),
    ]);
    this.#results.push(['end', await Promise.all(users), await Promise.all(attempts)]);
  }

  /** The name of a person of this run, for the id of the user in this store. */
  personOf(userId: UserId): string | undefined {
    return this.#keyOfUser.get(userId);
  }

  #start(operation: Operation, serial: number): Promise<unknown> {
    if (operation.op === 'advance') return this.#advance(operation);
    if (operation.op === 'insert') return this.#insert(operation, serial);
    if (operation.op === 'list') return this.#list(operation);
    if (operation.op === 'purge') return this.#purge(operation);
    const attempt = this.#attempts.get(operation.slot);
    if (attempt === undefined) return Promise.resolve('no attempt yet');
    return this.#act(operation, attempt, serial);
  }

  #act(
    operation: Exclude<Operation, { op: WithoutAttempt }>,
    attempt: AttemptRecord,
    serial: number,
  ): Promise<unknown> {
    const { attemptId } = attempt;
    const at = this.#now;
    switch (operation.op) {
      case 'authenticate':
        return this.#authenticate(operation, attempt);
      case 'reject':
        return this.#store.rejectAttempt({ attemptId, at, reason: 'attempt.rejected' });
      case 'fail':
        return this.#store.failAttempt({ attemptId, at, reason: 'provider.timeout' });
      case 'cancel':
        return this.#store.cancelAttempt({ attemptId, at });
      case 'countWrongCode':
        return this.#store.countWrongCode(attemptId, at);
      case 'redeem':
        return this.#redeem(operation, attempt, serial);
      case 'consume':
        return this.#consume(operation, attempt);
      case 'open':
        return this.#open(operation, attempt, serial);
      case 'bindBrowser':
        return this.#store.bindBrowser(attemptId, digestNamed(`${operation.browser}`), at);
      case 'replaceSession':
        return this.#replaceSession(operation, attemptId, serial);
      case 'rotateCompletion':
        return this.#store.rotateCompletion({ attemptId, at, completion: this.#code('rotated') });
      case 'recordApprovalSeen':
        return this.#store.recordApprovalSeen(attemptId, at);
      case 'spoil':
        return this.#store.spoilAttempt(attemptId, at);
      case 'push':
        return this.#push(operation, attempt);
      case 'disable':
        return this.#store.disableUser(this.#userId(operation), at);
      case 'enable':
        return this.#store.enableUser(this.#userId(operation), at);
      case 'withdraw':
        return this.#store.withdrawPush(attemptId, this.#digest(operation));
      case 'revokeAll':
        return this.#store.revokeAll(at, { userId: this.#userId(operation) });
      case 'recordCall':
        return this.#store.recordCall(sampleCall(attemptId, at));
      case 'listCalls':
        return this.#store.listCalls(attemptId);
      case 'readAudit':
        return this.#readAudit(attemptId);
      case 'findTransaction':
        return this.#store.findTransaction(attemptId);
      case 'missReplay':
        return this.#store.missReplay(attemptId);
      case 'find':
        return this.#store.findAttempt(attemptId);
      case 'findTokenOfAttempt':
        return this.#store.findTokenOfAttempt(attemptId);
      case 'revoke':
        return this.#revoke(operation, attempt);
    }
  }

  #advance({ ms }: { ms: Ms }): Promise<unknown> {
    this.#now += ms;
    return Promise.resolve(null);
  }

  async #insert(
    operation: { slot: number; flow: Flow; providerLifetime: Ms | null },
    serial: number,
  ): Promise<void> {
    const { providerLifetime } = operation;
    const providerExpiresAt = providerLifetime === null ? null : this.#now + providerLifetime;
    const fresh = {
      ...attemptNumbered(serial, this.#now),
      flow: operation.flow,
      providerExpiresAt,
    };
    this.#attempts.set(operation.slot, fresh);
    this.#inserted.push(fresh);
    await this.#store.insertAttempt(fresh);
  }

  #authenticate(
    operation: { flow: Flow; person: number; withCode: boolean; isCounted: boolean },
    { attemptId }: AttemptRecord,
  ): Promise<unknown> {
    return this.#store.authenticateAttempt({
      attemptId,
      flow: operation.flow,
      at: this.#now,
      person: this.#person(operation),
      preferredLocale: 'en',
      completion: operation.withCode ? this.#code('right') : null,
      pushesOf: operation.isCounted ? [this.#digest(operation)] : [],
    });
  }

  #redeem(
    operation: { code: string; rightToken: boolean; sealed: boolean },
    { attemptId, tokenDigest }: AttemptRecord,
    serial: number,
  ): Promise<unknown> {
    return this.#store.redeemAttempt({
      attemptId,
      at: this.#now,
      tokenDigest: operation.rightToken ? tokenDigest : attemptTokenDigest('wrong'),
      completionDigest: operation.code === 'none' ? null : completionCodeDigest(operation.code),
      seal: operation.sealed ? SEAL : null,
      token: tokenNumbered(serial, this.#now),
    });
  }

  /** The person's `sub` is the name of them in this run, so that every store gives the same. */
  #consume({ code }: { code: string }, { attemptId }: AttemptRecord): Promise<unknown> {
    return this.#store.consumeAttempt({
      attemptId,
      at: this.#now,
      completionDigest: code === 'none' ? null : completionCodeDigest(code),
      subject: `${attemptId} ${this.#now}`,
      begins: { model: 'Grant', id: attemptId, expiresAt: this.#now },
    });
  }

  async #revoke(operation: { person: number }, { attemptId }: AttemptRecord): Promise<unknown> {
    const found = await this.#store.findTokenOfAttempt(attemptId);
    if (found === null) return 'no token yet';
    return this.#store.revokeToken(found.token.tokenId, this.#owner(operation), this.#now);
  }

  #open({ kind }: { kind: string }, attempt: AttemptRecord, serial: number): Promise<unknown> {
    const transaction =
      kind === 'push'
        ? pushTransaction({ transactionId: `${serial}` })
        : redirectTransaction({ launchUrl: `${serial}`, stateDigest: `${serial}`, nonce: '' });
    const providerExpiresAt = this.#now + 2 * MINUTE_MS;
    const change = opening(attempt, { at: this.#now, transaction, providerExpiresAt });
    return this.#store.openTransaction(change);
  }

  #replaceSession(
    { browser }: { browser: number },
    attemptId: AttemptId,
    serial: number,
  ): Promise<unknown> {
    const session = {
      launchUrl: `other ${serial}`,
      stateDigest: `other ${serial}`,
      nonce: 'other',
    };
    const browserDigest = digestNamed(`${browser}`);
    return this.#store.replaceSession({ attemptId, at: this.#now, session, browserDigest });
  }

  #push(operation: { person: number }, { attemptId, client }: AttemptRecord): Promise<unknown> {
    const personDigest = this.#digest(operation);
    const wish = { attemptId, personDigest, client: `${this.#run} ${client}`, at: this.#now };
    return this.#store.admitPush({ ...wish, budget: BUDGET });
  }

  /** Without the values that depend on other rows of the store. */
  async #readAudit(attemptId: AttemptId): Promise<unknown> {
    const rows = await this.#store.readAudit({ after: 0, limit: 1000, attemptId });
    return rows.map(({ at, action, userId, client, personDigest, detail, count }) => {
      return { at, action, userId, client, personDigest, detail, count };
    });
  }

  #code(name: string): CompletionProof {
    return { digest: completionCodeDigest(name), expiresAt: this.#now + 2 * MINUTE_MS };
  }

  #digest({ person: number }: { person: number }): Digest {
    return digestNamed(`run ${this.#run} person ${number}`);
  }

  #purge({ ago }: { ago: Ms }): Promise<unknown> {
    const bound = this.#now - ago;
    return this.#store.purge({ expiredBefore: bound, redeemedBefore: bound, limit: 1000 });
  }

  #person({ person: number }: { person: number }): Person {
    return samplePerson({ issuer: `run ${this.#run}`, documentNumber: `${number}` });
  }

  #list({ limit, ...operation }: { person: number; limit: number }): Promise<unknown> {
    return this.#store.listTokens(this.#owner(operation), { after: null, limit }, this.#now);
  }

  #owner(operation: { person: number }): TokenOwner {
    return { userId: this.#userId(operation), client: attemptNumbered(0).client };
  }

  #userId({ person: number }: { person: number }): UserId {
    const entries = [...this.#keyOfUser].find(([, key]) => key === `person ${number}`);
    return entries?.[0] ?? (Number.MAX_SAFE_INTEGER as UserId);
  }

  #learn(result: unknown): void {
    if (typeof result !== 'object' || result === null || !('user' in result)) return;
    const user = result.user as User | null;
    if (user !== null) this.#keyOfUser.set(user.id, `person ${user.documentNumber}`);
  }
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : String(error);
}
