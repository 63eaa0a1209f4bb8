/**
 * Tests that share one simulator use a scope each, so that nothing of one is seen by another. What a
 * scope has is the same for all at the start, and only what differs from it is kept.
 */
import { plainId } from '@miftah/contract/uuid';
import { Directory } from './people/directory.ts';
import type { Faults } from './outcomes/faults.ts';
import type { People } from './people/people.ts';
import { flowsOf } from './outcomes/outcome-reach.ts';
import { outcomeWithKey } from './outcomes/outcomes.ts';
import type { PromptKind } from './prompts/prompts.ts';
import type { SessionRequest } from './requests.ts';
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
  /** What is wrong in the next ID token of the service's OpenID Provider; null for nothing. */
  readonly idToken: IdTokenFlaw | null;
}

/** Each is one claim or part of an ID token, so that a client can only refuse it for that. */
export const ID_TOKEN_FLAWS = [
  'wrong_signature',
  'wrong_audience',
  'wrong_nonce',
  'wrong_issuer',
  'alg_none',
  'expired',
] as const;
export type IdTokenFlaw = (typeof ID_TOKEN_FLAWS)[number];

export interface ScopeLimits {
  /** Scopes that keep something. */
  readonly scopes: number;
  /** People who were added, changed or removed, of all scopes together. */
  readonly people: number;
}

/** At most about 20 MB: a person needs no more than 3 KB, and a scope shares those of the start. */
export const SCOPE_LIMITS: ScopeLimits = { scopes: 1000, people: 5000 };

export class Scopes {
  readonly #start: ScopeState;
  readonly #limits: ScopeLimits;
  readonly #kept = new Map<string, ScopeState>();

  constructor(people: People, limits = SCOPE_LIMITS) {
    this.#start = { directory: new Directory(people), next: [], faults: null, idToken: null };
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

  /** Each flaw is given to one ID token. */
  takeIdTokenFlaw(scope: string): IdTokenFlaw | null {
    const { idToken } = this.of(scope);
    if (idToken !== null) this.change(scope, { idToken: null });
    return idToken;
  }

  /** Drops all that the scope has of its own. */
  reset(scope: string): void {
    this.#kept.delete(scope);
  }

  #isStart({ directory, next, faults, idToken }: ScopeState): boolean {
    const isUnchanged = directory === this.#start.directory;
    return isUnchanged && next.length === 0 && faults === null && idToken === null;
  }
}

/** The most outcomes that can wait in one scope. */
const NEXT_MAX = 100;

/** Session requests that are remembered: more than are repeated at the same time. */
const REMEMBERED_MAX = 1000;

/** `full`: the queue of the scope. `no_place`: that of all scopes. */
type Queued = 'queued' | 'full' | 'no_place';

/**
 * The outcomes that wait for the next requests of each scope. Each is given to one request: the first
 * of its scope that chooses nothing itself, and of a flow that the outcome applies to.
 */
export class NextOutcomes {
  readonly #scopes: Scopes;
  /**
   * What was given to a session request, by its scope and its id: a client repeats the request when
   * the answer was lost, and opens another session of the same id for another language.
   */
  readonly #given = new Map<string, ChosenOutcome>();

  constructor(scopes: Scopes) {
    this.#scopes = scopes;
  }

  /** The oldest first. */
  list(scope: string): readonly ChosenOutcome[] {
    return this.#scopes.of(scope).next;
  }

  add(scope: string, outcome: ChosenOutcome): Queued {
    const { next } = this.#scopes.of(scope);
    if (next.length >= NEXT_MAX) return 'full';
    return this.#scopes.change(scope, { next: [...next, outcome] }) ? 'queued' : 'no_place';
  }

  clear(scope: string): void {
    this.#scopes.change(scope, { next: [] });
  }

  /**
   * What a request is told, by itself or by the queue.
   * @param isAgain whether a session of this request is open already
   */
  choose(
    { requestId, scenario = null }: Pick<SessionRequest, 'requestId' | 'scenario'>,
    kind: PromptKind,
    isAgain = false,
  ): Scenario | null {
    if (scenario !== null && scenario.outcome !== null) return scenario;
    const scope = scenario?.scope ?? DEFAULT_SCOPE;
    const key = `${scope} ${plainId(requestId)}`;
    const given = kind === 'redirect' ? this.#given.get(key) : undefined;
    const outcome = given ?? (isAgain ? null : this.#take(scope, kind));
    if (outcome === null) return scenario;
    if (kind === 'redirect') this.#remember(key, outcome);
    return { scope, outcome };
  }

  #take(scope: string, kind: PromptKind): ChosenOutcome | null {
    const { next } = this.#scopes.of(scope);
    const found = next.find(({ key }) => appliesTo(key, kind));
    if (found === undefined) return null;
    this.#scopes.change(scope, { next: next.filter((one) => one !== found) });
    return found;
  }

  #remember(key: string, outcome: ChosenOutcome): void {
    this.#given.delete(key);
    this.#given.set(key, outcome);
    const [oldest] = this.#given.keys();
    if (this.#given.size > REMEMBERED_MAX && oldest !== undefined) this.#given.delete(oldest);
  }
}

function appliesTo(key: string, kind: PromptKind): boolean {
  const outcome = outcomeWithKey(key);
  return outcome !== null && flowsOf(outcome).includes(kind);
}
