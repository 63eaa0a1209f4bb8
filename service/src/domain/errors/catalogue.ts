/**
 * Every error of area A: its code, which never changes, and its HTTP status. The texts are in one
 * file and one folder per language, next to this file; `GET /errors/{code}` shows them.
 */
export const ERROR_STATUS = {
  'attempt.token_missing': 401,
  'attempt.not_found': 404,
  'attempt.expired': 410,
  'attempt.pending': 409,
  'attempt.rejected': 409,
  'attempt.failed': 409,
  'attempt.wrong_flow': 409,
  'attempt.already_completed': 409,
  'attempt.already_redeemed': 409,
  'attempt.completion_required': 409,
  'idempotency.mismatch': 422,
  'validation.failed': 422,
  'request.malformed_json': 400,
  'request.malformed': 400,
  'request.too_complex': 400,
  'request.too_large': 413,
  'request.headers_too_large': 431,
  'request.timeout': 408,
  'request.unsupported_media_type': 415,
  'request.method_not_allowed': 405,
  'request.misdirected': 421,
  'request.cross_site': 403,
  'origin.refused': 403,
  'route.not_found': 404,
  rate_limited: 429,
  'client.unauthenticated': 401,
  'token.missing': 401,
  'token.in_address': 400,
  'token.invalid': 401,
  'token.not_found': 404,
  'provider.record_not_found': 422,
  'provider.unavailable': 503,
  'provider.timeout': 504,
  'provider.bad_response': 502,
  'provider.misconfigured': 502,
  'provider.mismatch': 502,
  'provider.identity_missing': 502,
  'push.budget_spent': 429,
  'push.unverified': 401,
  'assurance.insufficient': 403,
  'callback.browser_mismatch': 403,
  'simulator.disabled': 403,
  'flow.unavailable': 403,
  'user.disabled': 403,
  'storage.unavailable': 503,
  'storage.outcome_unknown': 503,
  'server.overloaded': 503,
  'server.clock_ahead': 503,
  'server.error': 500,
} as const;

export type ErrorCode = keyof typeof ERROR_STATUS;

export const ERROR_CODES = Object.keys(ERROR_STATUS) as ErrorCode[];

export function isErrorCode(text: string): text is ErrorCode {
  return Object.hasOwn(ERROR_STATUS, text);
}

export interface ErrorWording {
  /** A few words, without a full stop. */
  readonly title: string;
  /** One sentence, shown to the caller as `message`. */
  readonly message: string;
  /**
   * The `detail` of an error whose `message` does not tell a developer what to change: some
   * messages can't be changed because clients expect their exact text. One or two sentences; the
   * message by default.
   */
  readonly detail?: string;
  /** What happened, for the page of the error. */
  readonly cause: string;
  /** What the caller can do about it: on the page of the error, and as `remedy` in its body. */
  readonly remedy: string;
}

export type ErrorWordings = Readonly<Record<ErrorCode, ErrorWording>>;
