import type { Locale } from './locale.ts';
import type { Ms } from './ports.ts';
import type { Channel, Decision } from './prompts.ts';

export interface SessionRequest {
  readonly requestId: string;
  readonly locale: Locale;
}

export interface PushRequest extends SessionRequest {
  readonly nationalId: string;
  readonly service: string;
}

/** Differences from what area B does, chosen by the caller. */
export interface PushOptions {
  /** `wire` by default. */
  readonly channel?: Channel;
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

export interface DecisionRequest {
  readonly promptId: string;
  readonly decision: Decision;
  /** The id of the person who approves; without it the person whom the prompt is for. */
  readonly personId?: string | undefined;
}
