import { plainId } from '@miftah/contract/uuid';
import { flowsOf } from './outcome-reach.ts';
import { outcomeWithKey } from './outcomes.ts';
import type { PromptKind } from './prompts.ts';
import type { SessionRequest } from './requests.ts';
import { DEFAULT_SCOPE, type ChosenOutcome, type Scenario } from './scenario.ts';
import type { Scopes } from './scopes.ts';

/** The most outcomes that can wait in one scope. */
const NEXT_MAX = 100;

/** Session requests that are remembered: more than are repeated at the same time. */
const REMEMBERED_MAX = 1000;

/** `full`: the queue of the scope. `no_place`: that of all scopes. */
export type Queued = 'queued' | 'full' | 'no_place';

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
