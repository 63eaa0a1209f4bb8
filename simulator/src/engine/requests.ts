import type { Locale } from './locale.ts';
import type { Ms } from './ports.ts';
import type { Decision } from './prompts/prompts.ts';
import type { Scenario } from './scenario.ts';
import type { PersonMark } from './people/directory.ts';

export interface SessionRequest {
  readonly requestId: string;
  readonly locale: Locale;
  /** What a test has chosen for it; null or absent: nothing, in the default scope. */
  readonly scenario?: Scenario | null;
}

export interface PushRequest extends SessionRequest {
  readonly nationalId: string;
  readonly service: string;
}

/** Differences from what area B does, chosen by the caller. */
export interface PushOptions {
  /**
   * False for a caller that keeps the request itself, and has the prompt made of it by `promptOf`.
   */
  readonly isKept?: boolean;
  /** The number of digits of the number to match. */
  readonly codeLength?: number;
  /** `wait`: an unknown number gets a prompt too, and the default person signs in on approval. */
  readonly unlisted?: 'refuse' | 'wait';
  readonly lifetimeMs?: Ms;
  /** Whether a second push to the same person is refused while one is waiting. */
  readonly oneActive?: boolean;
}

/** The values in the answer to the push. A caller must know all of them. */
export interface StatusQuery {
  readonly transactionId: string;
  readonly nationalId: string;
  readonly bindingCode: string;
}

interface PromptRequestBase extends SessionRequest {
  readonly service: string;
  /** What `signerToKeep` gave when the request began; null or absent for nothing. */
  readonly keptSigner?: PersonMark | null;
  readonly createdAt: Ms;
  readonly expiresAt: Ms;
}

export interface PushPromptRequest extends PromptRequestBase {
  readonly kind: 'push';
  readonly nationalId: string;
  readonly bindingCode: string;
}

export interface RedirectPromptRequest extends PromptRequestBase {
  readonly kind: 'redirect';
}

/** Everything needed to make a prompt again, except a decision on it. */
export type PromptRequest = PushPromptRequest | RedirectPromptRequest;

export interface DecisionChoice {
  readonly decision: Decision;
  /** The id of the person who approves; without it the person whom the prompt is for. */
  readonly personId?: string | undefined;
}

export interface DecisionRequest extends DecisionChoice {
  readonly promptId: string;
  /** Prompts of other scopes are then unknown. Without it, a prompt of any scope is decided. */
  readonly scope?: string;
}

/** A decision that was made, and when. */
export interface PastDecision {
  readonly decision: Decision;
  /** Who was named; null or absent for nobody. */
  readonly named?: PersonMark | null;
  readonly at: Ms;
}
