import type { Problem } from './types.ts';
import { memberOf, present, textOf } from './wire.ts';

/** A failure of this side: the service has not answered, or not been asked to the end. */
type OwnCode = 'client.network' | 'client.timeout' | 'client.aborted';

/** What the caller can do where the same call may succeed later: not after the end by its own signal. */
const REMEDIES: Readonly<Partial<Record<OwnCode, string>>> = {
  'client.network': 'Is the service up? Check baseUrl, http(s) and network.',
  'client.timeout': 'Is the service up? Wait longer.',
};

export interface Failure {
  readonly code: string;
  readonly detail: string;
  readonly status?: number | undefined;
  readonly remedy?: string | undefined;
  readonly requestId?: string | undefined;
  readonly retryAfter?: number | undefined;
  readonly problem?: Problem;
  readonly cause?: unknown;
}

/** Every failure of a call. */
export class MiftahError extends Error {
  override readonly name = 'MiftahError';
  /**
   * A code of the service's catalogue (`/errors`), or `client.network` (no answer of a service),
   * `client.timeout` or `client.aborted`.
   */
  declare readonly code: string;
  /** The HTTP status; 0 without an answer. */
  declare readonly status: number;
  /**
   * A sentence for people, in the language that was asked for. Where no service has answered, it is
   * in English and names the origin of `baseUrl`, for logs.
   */
  declare readonly detail: string;
  /** What can be done about it. */
  declare readonly remedy: string | undefined;
  /** For the operator of the service, whose log has it. */
  declare readonly requestId: string | undefined;
  /** Seconds to wait before the call is repeated. */
  declare readonly retryAfter: number | undefined;
  /** Of `validation.failed`: each wrong member of the request, and the rule that it breaks. */
  declare readonly violations: Problem['violations'];
  /** All that the service says about it. */
  declare readonly problem: Problem | undefined;

  constructor({ code, detail, cause, status = 0, problem, ...failure }: Failure) {
    super(`${code}: ${detail}`, present({ cause }));
    Object.assign(this, present({ code, status, violations: problem?.violations, ...failure }));
    // Node prints all that can be enumerated, and these have the sentence again.
    Object.defineProperties(this, { detail: { value: detail }, problem: { value: problem } });
  }

  toJSON(): object {
    return Object.assign({}, this, { detail: this.detail, problem: this.problem });
  }
}

export function ownFailure(code: OwnCode, detail: string, more?: Partial<Failure>): MiftahError {
  return new MiftahError({ code, detail, remedy: REMEDIES[code], ...more });
}

export function asFailure(error: unknown): MiftahError {
  if (error instanceof MiftahError) return error;
  return unreached('The connection broke', error, error);
}

/**
 * @param error of `fetch`: in Node its cause has a code, such as `ECONNREFUSED`
 * @param cause by default the error where it has a code: another may quote a header with its token
 */
export function unreached(what: string, error: unknown, cause?: unknown): MiftahError {
  const code = textOf(memberOf(error, 'cause'), 'code');
  return ownFailure('client.network', `${what}${code ? ` (${code})` : ''}.`, {
    cause: cause ?? (code && error),
  });
}

/** Whether the same call can succeed a little later. */
export function isPassing({ code, status }: MiftahError): boolean {
  return code in REMEDIES || [408, 429].includes(status) || status >= 500;
}
