import type { Acknowledged } from './job.ts';

/** Younger than their five minutes, with time for the round that uses them. */
const USABLE_MS = 120_000;

/** People who wait at the same time. */
const POLLED = 4000;

export interface Attempt {
  readonly id: string;
  readonly token: string;
  readonly startedAt: number;
}

/** The attempts that the generator has started, and how far it has brought each. */
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

  /** What leaves nothing behind to be polled or completed. */
  count(done: Partial<Acknowledged>): void {
    this.#counts.attempts += done.attempts ?? 0;
    this.#counts.completions += done.completions ?? 0;
    this.#counts.tokens += done.tokens ?? 0;
  }

  /** The newest ones in turn, again and again, as people wait side by side. */
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
