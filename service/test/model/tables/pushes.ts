import type { AttemptId } from '../../../src/values/ids.ts';
import type { AttemptRecord } from '../../../src/attempt/attempt.ts';
import type { Digest } from '../../../src/values/secret.ts';
import { longestWindow, type PushWindow } from '../../../src/attempt/start/push-budget.ts';
import type { Ms } from '../../../src/values/time.ts';
import type { PushRecord, PushWish } from '../../../src/store/ports/store.port.ts';
import { isRefused, stateOf } from '../rules.ts';
import type { AttemptTable } from './attempts.ts';

interface Push {
  readonly attemptId: AttemptId;
  /** Null after a success has emptied the person's budget. */
  readonly personDigest: Digest | null;
  readonly client: string;
  readonly at: Ms;
  readonly countsUntil: Ms;
}

/** The pushes of the model. */
export class PushTable {
  #pushes: Push[] = [];

  admit(wish: PushWish, attempts: AttemptTable): boolean {
    const { attemptId, personDigest, otherDigests = [], client, at, budget } = wish;
    for (const other of otherDigests) this.#rename(other, personDigest);
    const ofPerson = this.#pushes.filter((push) => push.personDigest === personDigest);
    const ofClient = this.#pushes.filter((push) => push.client === client);
    const blocking = ofPerson
      .map((push) => attempts.get(push.attemptId))
      .some((attempt) => attempt !== null && blocks(attempt, wish));
    const isSpent =
      budget.person.some((window) => spends(ofWindow(ofPerson, window), window, at)) ||
      spends(ofClient, budget.client, at) ||
      spends(this.#pushes, budget.service, at);
    if (blocking || isSpent) return false;
    const countsUntil = at + longestWindow(budget);
    this.#pushes.push({ attemptId, personDigest, client, at, countsUntil });
    return true;
  }

  withdraw(attemptId: AttemptId, personDigest: Digest): void {
    const isOther = (push: Push) =>
      push.attemptId !== attemptId || push.personDigest !== personDigest;
    this.#pushes = this.#pushes.filter(isOther);
  }

  countAfter(after: Ms): ReadonlyMap<string, number> {
    const young = this.#pushes.filter(({ at }) => at > after);
    const byClient = Map.groupBy(young, ({ client }) => client);
    return new Map([...byClient].map(([client, pushes]) => [client, pushes.length]));
  }

  of(people: readonly Digest[]): PushRecord[] {
    return this.#pushes
      .filter(({ personDigest }) => personDigest !== null && people.includes(personDigest))
      .map(({ attemptId, client, at: admittedAt, countsUntil }) => ({
        attemptId,
        client,
        admittedAt,
        countsUntil,
      }));
  }

  forget(personDigest: Digest): void {
    this.#rename(personDigest, null);
  }

  #rename(from: Digest, personDigest: Digest | null): void {
    this.#pushes = this.#pushes.map((push) =>
      push.personDigest === from ? { ...push, personDigest } : push,
    );
  }

  purge(before: Ms, limit: number): void {
    const old = this.#pushes
      .toSorted((one, other) => one.countsUntil - other.countsUntil)
      .filter(({ countsUntil }) => countsUntil < before);
    const gone = new Set(old.slice(0, limit));
    this.#pushes = this.#pushes.filter((push) => !gone.has(push));
  }
}

function blocks(attempt: AttemptRecord, { attemptId, at, budget }: PushWish): boolean {
  const { rejectedAt } = attempt;
  if (rejectedAt !== null) {
    return isRefused(attempt) && at < rejectedAt + budget.coolDownMs;
  }
  return attempt.attemptId !== attemptId && stateOf(attempt, at) === 'pending';
}

function ofWindow(pushes: readonly Push[], { client }: PushWindow): readonly Push[] {
  return client === undefined ? pushes : pushes.filter((push) => push.client === client);
}

function spends(pushes: readonly Push[], { quota, lengthMs }: PushWindow, at: Ms): boolean {
  return pushes.filter((push) => at < push.at + lengthMs).length >= quota;
}
