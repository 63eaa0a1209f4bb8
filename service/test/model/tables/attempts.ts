import { AFTER_ALL_ATTEMPTS, type AttemptId } from '../../../src/values/ids.ts';
import type { AttemptRecord, AttemptState } from '../../../src/attempt/attempt.ts';
import { scopeOf } from '../../../src/attempt/scenario.ts';
import type { Ms } from '../../../src/values/time.ts';
import { StatementError } from '../../../src/store/store-fault.ts';
import { expiryOf, failed, isOpen, LIFETIME_MS, stateOf } from '../rules.ts';

/** The attempts of the model. */
export class AttemptTable {
  readonly #attempts = new Map<AttemptId, AttemptRecord>();
  readonly #erasesIdentifiers: boolean;

  constructor(erasesIdentifiers: boolean) {
    this.#erasesIdentifiers = erasesIdentifiers;
  }

  get isEmpty(): boolean {
    return this.#attempts.size === 0;
  }

  get expiries(): Ms[] {
    return this.where(() => true).map((attempt) => expiryOf(attempt));
  }

  get(attemptId: AttemptId): AttemptRecord | null {
    return this.#attempts.get(attemptId) ?? null;
  }

  /** The attempt if it is in this state at this time, otherwise null. */
  getIn(state: AttemptState, attemptId: AttemptId, at: Ms): AttemptRecord | null {
    const attempt = this.get(attemptId);
    return attempt !== null && stateOf(attempt, at) === state ? attempt : null;
  }

  add(attempt: AttemptRecord): void {
    if (this.#attempts.has(attempt.attemptId)) throw new StatementError('the attempt id exists');
    this.replace(attempt);
  }

  delete(attemptId: AttemptId): void {
    this.#attempts.delete(attemptId);
  }

  replace(attempt: AttemptRecord): void {
    this.#attempts.set(attempt.attemptId, attempt);
  }

  /** The attempt after a transition, or null if that is refused. */
  change(
    attemptId: AttemptId,
    transition: (from: AttemptRecord) => AttemptRecord | null,
  ): AttemptRecord | null {
    const attempt = this.get(attemptId);
    const changed = attempt === null ? null : transition(attempt);
    if (attempt === null || changed === null) return null;
    const isErased = this.#erasesIdentifiers && hasAnotherEnd(attempt, changed);
    const kept = isErased ? { ...changed, nationalId: null } : changed;
    this.replace(kept);
    return kept;
  }

  pending(now: Ms, limit: number, scope: string): AttemptRecord[] {
    const since = now - LIFETIME_MS;
    return this.where(
      (attempt) =>
        attempt.createdAt >= since &&
        scopeOf(attempt) === scope &&
        stateOf(attempt, now) === 'pending',
    )
      .toSorted(byStart)
      .slice(-limit);
  }

  newest(limit: number, scope: string, before: AttemptId | null): AttemptRecord[] {
    const last = before ?? AFTER_ALL_ATTEMPTS;
    return this.where((attempt) => attempt.attemptId < last && scopeOf(attempt) === scope)
      .toSorted(byStart)
      .toReversed()
      .slice(0, limit);
  }

  /** Fails the chosen ones of those that can fail. @returns them, as they are now */
  failEach(at: Ms, isChosen: (attempt: AttemptRecord) => boolean): AttemptRecord[] {
    return this.where(isChosen).flatMap(({ attemptId }) => {
      return this.change(attemptId, (from) => failed(from, at, 'attempt.failed')) ?? [];
    });
  }

  /** What is open began before now, also where the clock that began it is ahead. */
  dateBack(at: Ms): void {
    const ahead = this.where((attempt) => attempt.createdAt > at && isOpen(attempt, at));
    for (const attempt of ahead) this.replace({ ...attempt, createdAt: at });
  }

  endOverdue(from: Ms, to: Ms): void {
    const overdue = this.where((attempt) => isExpired(attempt, from) && !isExpired(attempt, to));
    for (const attempt of overdue) this.replace({ ...attempt, providerExpiresAt: to });
  }

  /** @returns the ids of the attempts that were removed */
  purge(expiredBefore: Ms, limit: number): AttemptId[] {
    const expired = this.where((attempt) => expiryOf(attempt) < expiredBefore)
      .toSorted((one, other) => expiryOf(one) - expiryOf(other))
      .slice(0, limit);
    for (const { attemptId } of expired) this.#attempts.delete(attemptId);
    return expired.map(({ attemptId }) => attemptId);
  }

  /** @returns how many were erased */
  eraseSeals(redeemedBefore: Ms, limit: number): number {
    const sealed = this.where(
      ({ redemption, redeemedAt }) =>
        redemption !== null && redeemedAt !== null && redeemedAt < redeemedBefore,
    ).slice(0, limit);
    for (const attempt of sealed) this.replace({ ...attempt, redemption: null });
    return sealed.length;
  }

  eraseIdentifiers(expiredBefore: Ms, limit: number): void {
    if (!this.#erasesIdentifiers) return;
    const left = this.where(
      (attempt) => attempt.nationalId !== null && expiryOf(attempt) < expiredBefore,
    ).slice(0, limit);
    for (const attempt of left) this.replace({ ...attempt, nationalId: null });
  }

  where(isWanted: (attempt: AttemptRecord) => boolean): AttemptRecord[] {
    return [...this.#attempts.values()].filter((attempt) => isWanted(attempt));
  }
}

/** The ids begin with the time of the start. */
function byStart(one: AttemptRecord, other: AttemptRecord): number {
  return one.attemptId < other.attemptId ? -1 : 1;
}

function hasAnotherEnd(before: AttemptRecord, after: AttemptRecord): boolean {
  const ends = endsOf(before);
  return endsOf(after).some((end, index) => end !== ends[index]);
}

function endsOf({ authenticatedAt, rejectedAt, failedAt }: AttemptRecord) {
  return [authenticatedAt, rejectedAt, failedAt];
}

function isExpired(attempt: AttemptRecord, at: Ms): boolean {
  return stateOf(attempt, at) === 'expired';
}
