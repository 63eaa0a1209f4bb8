/**
 * Tests that share one simulator use a scope each, so that nothing of one is seen by another. What a
 * scope has is the same for all at the start, and only what differs from it is kept.
 */
import { Directory } from './directory.ts';
import type { Faults } from './faults.ts';
import type { People } from './people.ts';
import { DEFAULT_SCOPE, type ChosenOutcome, type Scenario } from './scenario.ts';

/** The scope of a request. */
export function scopeOf({ scenario }: { readonly scenario?: Scenario | null }): string {
  return scenario?.scope ?? DEFAULT_SCOPE;
}

/** What a scope has. A change makes a new object; only `faults` counts the calls that it sees. */
export interface ScopeState {
  /** Everybody whom the provider knows. */
  readonly directory: Directory;
  /** What was queued for the next attempts, the oldest first. */
  readonly next: readonly ChosenOutcome[];
  /** The faults that were set; null for none. */
  readonly faults: Faults | null;
}

export interface ScopeLimits {
  /** Scopes that keep something. */
  readonly scopes: number;
  /** People who were added, changed or removed, of all scopes together. */
  readonly people: number;
}

/** At most about 30 MB: a person needs no more than 3 KB, and the index of a scope about 10 KB. */
export const SCOPE_LIMITS: ScopeLimits = { scopes: 1000, people: 5000 };

export class Scopes {
  readonly #start: ScopeState;
  readonly #limits: ScopeLimits;
  readonly #kept = new Map<string, ScopeState>();

  constructor(people: People, limits = SCOPE_LIMITS) {
    this.#start = { directory: new Directory(people), next: [], faults: null };
    this.#limits = limits;
  }

  /** How many scopes keep something. */
  get kept(): number {
    return this.#kept.size;
  }

  /** What the scope has now; of an unknown one, what every scope has at the start. */
  of(scope: string): ScopeState {
    return this.#kept.get(scope) ?? this.#start;
  }

  /** False, and nothing is changed, if no more can be kept. */
  change(scope: string, change: Partial<ScopeState>): boolean {
    const next = { ...this.of(scope), ...change };
    if (this.#isStart(next)) {
      this.#kept.delete(scope);
      return true;
    }
    const others = [...this.#kept].filter(([name]) => name !== scope);
    const { changes } = next.directory;
    const people = others.reduce((sum, [, { directory }]) => sum + directory.changes, changes);
    if (others.length >= this.#limits.scopes || people > this.#limits.people) return false;
    this.#kept.set(scope, next);
    return true;
  }

  /** Drops all that the scope has of its own. */
  reset(scope: string): void {
    this.#kept.delete(scope);
  }

  #isStart({ directory, next, faults }: ScopeState): boolean {
    return directory === this.#start.directory && next.length === 0 && faults === null;
  }
}
