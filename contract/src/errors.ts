/**
 * The errors of the attempt API for programs: the code, which never changes, its HTTP status, and
 * the rules that a member can break. Their Arabic and English texts are in each problem, and at
 * `GET /errors/{code}`. This file has only constants and no imports.
 */
export const ERROR_STATUS = {
  'attempt.token_missing': 401,
  'attempt.not_found': 404,
  'attempt.expired': 410,
  'attempt.pending': 409,
  'attempt.rejected': 409,
  'attempt.cancelled': 409,
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
  'request.content_unexpected': 400,
  'request.unsupported_media_type': 415,
  'request.method_not_allowed': 405,
  'request.misdirected': 421,
  'request.cross_site': 403,
  'origin.refused': 403,
  'route.not_found': 404,
  rate_limited: 429,
  'stream.limit_reached': 429,
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

export const ERROR_CODES: readonly ErrorCode[] = Object.keys(ERROR_STATUS).filter(isErrorCode);

/** False for a code that a later version of the service has added. */
export function isErrorCode(text: string): text is ErrorCode {
  return Object.hasOwn(ERROR_STATUS, text);
}

/**
 * The `type` of a problem (RFC 9457): the path, below the origin, of the page that explains the
 * code.
 */
export function problemTypeOf(code: ErrorCode): string {
  return `/errors/${code}`;
}

/** What can be wrong with one member of a request; the `code` of a violation. */
export const FIELD_RULES = [
  'required',
  'type',
  'format',
  'unknown',
  'too_long',
  'too_short',
  'text',
  'not_listed',
  'object',
] as const;
export type FieldRule = (typeof FIELD_RULES)[number];
