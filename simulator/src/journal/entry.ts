/** What the time line of an attempt is made of. */
import type { Ms } from '../engine/ports.ts';

/** Where something happened. */
export const SIDES = ['area_a', 'area_b', 'phone', 'browser', 'callback'] as const;
export type Side = (typeof SIDES)[number];

/** No body of an honest caller is deeper. What is deeper is not read, and not shown. */
export const MOST_DEPTH = 12;

/**
 * The headers and the body of a request or an answer, as they were. What leaves the journal is
 * masked; nothing is masked before.
 */
export interface Message {
  /** Only those of `REQUEST_HEADERS` or `ANSWER_HEADERS`, with names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Parsed JSON, a text, or null. A text of JSON is parsed when somebody reads it. */
  readonly body: unknown;
}

export interface Exchange {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  /** Null: no answer was sent or got. */
  readonly status: number | null;
  readonly durationMs: number;
  readonly request: Message;
  readonly response: Message;
}

/** `by`: who did it. `outcome`: a reserved identity, X-Simulate, or a queued outcome. */
export interface Act {
  readonly decision: string | null;
  readonly by: 'person' | 'outcome';
}

/** Who ignores a prompt does not answer it. */
export const isAnswer = ({ act }: Pick<Entry, 'act'>): boolean =>
  act !== null && act.decision !== null && act.decision !== 'ignore';

/** One HTTP exchange, or one act of a person, that belongs to an attempt. */
export interface Entry {
  /** When it began, by the clock of the simulation. */
  readonly at: Ms;
  readonly side: Side;
  /**
   * area_a: the operationId of the attempt API, `openid` and the endpoint of OpenID, or `launch`,
   * `callback` and `openidReturn` for the browser's addresses. area_b: the operation of the provider
   * (session, mfa_request, mfa_status, exchange, token_valid). phone: `prompt` (it appeared),
   * `decision`. browser: `page` (shown), `decision`.
   * callback: `push_result` (a provider that stands alone has sent it), `push_callback` (the service
   * has taken it), `webhook` (the back end of the application is told).
   */
  readonly name: string;
  readonly exchange: Exchange | null;
  readonly act: Act | null;
}
