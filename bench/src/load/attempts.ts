import type { Acknowledged } from './job.ts';

/** Attempts are used up to this age: below their five minutes, with time left for the round. */
const USABLE_MS = 120_000;

/**
 * The number of people who wait at the same time, and whose status is read in turn. A simulation keeps
 * the time lines of 2000 attempts: with more, it would keep nothing of half of the requests.
 */
export const POLLED = 1500;

export interface Attempt {
  readonly id: string;
  readonly token: string;
  readonly startedAt: number;
}

/** The attempts that the generator has started, with the stage of each. */
export class Attempts {
  #pending: Attempt[] = [];
  #authenticated: Attempt[] = [];
  #polled = 0;
  #counts = { attempts: 0, completions: 0, tokens: 0 };

  get acknowledged(): Acknowledged {
    return { ...this.#counts };
  }

  get pending(): number {
    return this.#pending.length;
  }

  get authenticated(): number {
    return this.#authenticated.length;
  }

  dropOld(now: number): void {
    const isUsable = ({ startedAt }: Attempt) => now - startedAt < USABLE_MS;
    this.#pending = this.#pending.filter(isUsable);
    this.#authenticated = this.#authenticated.filter(isUsable);
  }

  started(attempt: Attempt): void {
    this.#counts.attempts += 1;
    this.#pending.push(attempt);
  }

  completed(attempt: Attempt): void {
    this.#counts.completions += 1;
    this.#authenticated.push(attempt);
  }

  exchanged(): void {
    this.#counts.tokens += 1;
  }

  /** Counts work after which there is nothing to poll or complete. */
  count(done: Partial<Acknowledged>): void {
    this.#counts.attempts += done.attempts ?? 0;
    this.#counts.completions += done.completions ?? 0;
    this.#counts.tokens += done.tokens ?? 0;
  }

  /** The newest attempts in turn, repeatedly, like many people who wait at the same time. */
  nextToPoll(): Attempt | null {
    this.#polled = (this.#polled + 1) % Math.max(1, Math.min(POLLED, this.#pending.length));
    return this.#pending.at(-1 - this.#polled) ?? null;
  }

  takePending(): Attempt | null {
    return this.#pending.pop() ?? null;
  }

  takeAuthenticated(): Attempt | null {
    return this.#authenticated.pop() ?? null;
  }
}
