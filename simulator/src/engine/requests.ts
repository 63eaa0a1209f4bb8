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

/** How a caller wants this push to differ from what area B does. */
export interface PushOptions {
  /** `wire` where nothing is said. */
  readonly channel?: Channel;
  /** Digits of the number to match. */
  readonly codeLength?: number;
  /** `wait`: a stranger gets a prompt too, and the default person signs in on approval. */
  readonly unlisted?: 'refuse' | 'wait';
  readonly lifetimeMs?: Ms;
  /** Whether a second push is refused while one waits for the same person. */
  readonly oneActive?: boolean;
}

/** All that the answer to the push held. A caller has to know every part. */
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

/** All that is needed to make a prompt again, apart from a decision that was made on it. */
export type PromptRequest = PushPromptRequest | RedirectPromptRequest;

export interface DecisionRequest {
  readonly promptId: string;
  readonly decision: Decision;
  /** The id of the person who approves; without it, the one whom the prompt is for. */
  readonly personId?: string | undefined;
}
