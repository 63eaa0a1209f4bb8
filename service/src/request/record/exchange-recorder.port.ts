import type { AttemptId } from '../../values/ids.ts';
import type { Ms } from '../../values/time.ts';

/** Headers as the server has them. */
export type Headers = Readonly<Record<string, string | number | readonly string[] | undefined>>;

/** One request about an attempt and its answer: references to what the server has of them. */
export interface RecordedExchange {
  /** Empty where only the ties lead to it. */
  readonly attemptId: string;
  /** Ids of an OpenID sign-in that the exchange has to do with: of its request, its code, its tokens. */
  readonly ties?: readonly string[];
  /** The operation of the attempt API or of OpenID, or what the browser did. */
  readonly name: string;
  /** When the request came, by the service's clock. */
  readonly at: Ms;
  /** From `turn`, when the request came. */
  readonly begun: number;
  readonly method: string;
  /** The target as it was sent. */
  readonly path: string;
  /** Null: no answer was sent. */
  readonly status: number | null;
  /** Of real time, a whole number. */
  readonly durationMs: number;
  readonly request: { readonly headers: Headers; readonly body: unknown };
  /** The text that was sent; null for none, and for a page. Of a page with an error, its code. */
  readonly response: { readonly headers: Headers; readonly body: string | null };
}

/** An attempt that has begun. */
export interface RecordedStart {
  readonly attemptId: AttemptId;
  readonly scope: string;
  /** Where the person's device is, as far as the service knows; null if it does not. */
  readonly address: string | null;
}

/**
 * Keeps what callers ask about attempts and what they are answered, for those who look at a
 * simulation. Live mode has none.
 *
 * - E-1: nothing is kept of an attempt whose start it was not told: whoever asks for ids that nobody
 *   has fills no memory.
 * - E-2: what it keeps is bounded, whatever is asked and however often.
 * - E-3: it parses and masks nothing of what it is given, so that requests do not wait for it.
 * - E-4: what has one tie in common belongs to one attempt, also what came before the attempt began.
 */
export interface ExchangeRecorder {
  /** The headers of an answer that it wants, in lower case. All of them would be copied twice. */
  readonly answerHeaders: readonly string[];
  /** A place in the order of all that happens, later than every earlier one. */
  turn(): number;
  begin(start: RecordedStart): void;
  record(exchange: RecordedExchange): void;
}
