/**
 * The outcome of a request and of its prompt: by what was chosen for it, by the queue of its scope,
 * or else by who it is.
 */
import { plainId } from '@miftah/contract/uuid';
import type { AnswerFault } from './effects.ts';
import { outcomeFor, outcomeWithKey, type Outcome } from './outcomes.ts';
import type { Ms } from './ports.ts';
import type { Prompt, PromptEnd, PromptKind } from './prompts.ts';
import { DEFAULT_SCENARIO, type Scenario, DEFAULT_SCOPE, type ChosenOutcome } from './scenario.ts';
import { flowsOf } from './outcome-reach.ts';
import type { SessionRequest } from './requests.ts';
import type { Scopes } from './scopes.ts';

interface OutcomeRequest {
  readonly scenario?: Scenario | null;
  /** Absent where a request names nobody. */
  readonly nationalId?: string;
}

export interface RequestedOutcome {
  readonly scope: string;
  /** Null if the identities decide. */
  readonly chosen: Outcome | null;
  /** The chosen outcome, or that of the identity. */
  readonly outcome: Outcome | null;
  /** When the person acts, after the request; null for the outcome's own time. */
  readonly afterMs: Ms | null;
}

export function requestedOutcome({ scenario, nationalId }: OutcomeRequest): RequestedOutcome {
  const { scope, outcome: choice } = scenario ?? DEFAULT_SCENARIO;
  const chosen = choice === null ? null : outcomeWithKey(choice.key);
  const byIdentity = nationalId === undefined ? null : outcomeFor(nationalId);
  return { scope, chosen, outcome: chosen ?? byIdentity, afterMs: choice?.afterMs ?? null };
}

/** A session request names nobody, so the provider has no record that refuses it. */
export type SessionFault = Exclude<AnswerFault, { kind: 'record' }>;

/** The fault of the answer to a session request with this scenario; null for none. */
export function sessionFault(scenario: Scenario | null): SessionFault | null {
  const effect = requestedOutcome({ scenario }).chosen?.effect;
  const fault = effect?.on === 'answer' ? effect.fault : null;
  return fault === null || fault.kind === 'record' ? null : fault;
}

/**
 * The outcome that a prompt ended with. Without a chosen one it belongs to the person who approves,
 * even if the prompt was for another person, and otherwise to the person who was asked.
 */
export function outcomeOf(prompt: Prompt, end: PromptEnd): Outcome | null {
  if (prompt.chosen !== null) return prompt.chosen;
  if (end.state === 'approved') return outcomeFor(end.person.nationalId);
  return prompt.kind === 'push' ? outcomeFor(prompt.nationalId) : null;
}

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
