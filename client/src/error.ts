/** A failure of this side: the service has not answered, or not been asked to the end. */
type OwnCode = 'client.network' | 'client.timeout' | 'client.aborted';

export interface Failure {
  readonly code: string;
  readonly detail: string;
  readonly status?: number;
  readonly remedy?: string | undefined;
  readonly requestId?: string | undefined;
  readonly retryAfter?: number | undefined;
  readonly cause?: unknown;
}

/** Every failure of a call. */
export class MiftahError extends Error {
  override readonly name = 'MiftahError';
  /**
   * A code of the service's catalogue (`/errors`), or `client.network` (no answer of a service),
   * `client.timeout` or `client.aborted`.
   */
  readonly code: string;
  /** The HTTP status; 0 without an answer. */
  readonly status: number;
  /** A sentence for people, in the language that was asked for. */
  readonly detail: string;
  /** What can be done about it. */
  readonly remedy: string | undefined;
  /** For the operator of the service, whose log has it. */
  readonly requestId: string | undefined;
  /** Seconds to wait before the call is repeated. */
  readonly retryAfter: number | undefined;

  constructor({ code, detail, status = 0, remedy, requestId, retryAfter, cause }: Failure) {
    super(`${code}: ${detail}`, { cause });
    this.code = code;
    this.status = status;
    this.detail = detail;
    this.remedy = remedy;
    this.requestId = requestId;
    this.retryAfter = retryAfter;
  }
}

export function ownFailure(code: OwnCode, detail: string, cause?: unknown): MiftahError {
  return new MiftahError({ code, detail, cause });
}

export function asFailure(error: unknown): MiftahError {
  if (error instanceof MiftahError) return error;
  return ownFailure('client.network', 'The service was not reached.', error);
}

/** Whether the same call can succeed a little later. */
export function isPassing({ code, status }: MiftahError): boolean {
  if (code === 'client.network' || code === 'client.timeout') return true;
  return status === 408 || status === 429 || status >= 500;
}
