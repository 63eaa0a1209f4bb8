/** The outcome of a request and of its prompt: by what was chosen, or else by who it is. */
import type { AnswerFault } from './effects.ts';
import { outcomeFor, outcomeWithKey, type Outcome } from './outcomes.ts';
import type { Ms } from './ports.ts';
import type { Prompt, PromptEnd } from './prompts.ts';
import { DEFAULT_SCENARIO, type Scenario } from './scenario.ts';

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
