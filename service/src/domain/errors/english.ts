import type { ErrorWordings } from './catalogue.ts';

export const ENGLISH: ErrorWordings = {
  'attempt.token_missing': {
    title: 'Attempt token missing',
    message: 'Unauthenticated.',
    cause:
      'The status of an attempt is told only to whoever started it, and this request has no proof of that.',
    remedy:
      'Send the attempt_token of POST /start in the X-Provider-Attempt-Token header. It is not ' +
      'accepted in the address.',
  },
  'attempt.not_found': {
    title: 'Attempt not found',
    message: 'Attempt not found.',
    cause:
      'No attempt has this identifier, or the attempt token is not the one of this attempt, or ' +
      'the attempt ended long ago and was removed. The service does not tell these cases apart.',
    remedy:
      'Use attempt_id and attempt_token exactly as one and the same POST /start returned them. ' +
      'If they are lost, start a new attempt.',
  },
  'attempt.expired': {
    title: 'Attempt expired',
    message: 'The attempt has expired.',
    cause:
      'The time in expires_at passed before the attempt was exchanged for an API token. An ' +
      'approval that nobody collects in time is lost too.',
    remedy: 'Start a new attempt with POST /start and let the person sign in again.',
  },
  'attempt.pending': {
    title: 'Attempt still pending',
    message: 'The attempt is not authenticated yet.',
    cause:
      'The person has not approved the sign-in yet, so there is no identity to issue a token for.',
    remedy:
      'Read GET /status/{attempt_id} until token_ready is true, then repeat the request. Wait ' +
      'at least the seconds in Retry-After.',
  },
  'attempt.rejected': {
    title: 'Attempt rejected',
    message: 'The sign-in was rejected.',
    cause:
      'The person, or the identity provider, refused this sign-in. That is final for this attempt.',
    remedy:
      'Tell the person that the sign-in was refused. Start a new attempt only when the person asks for it.',
  },
  'attempt.failed': {
    title: 'Attempt failed',
    message: 'The sign-in failed.',
    cause:
      'The attempt was ended because something went wrong on the way: a faulty answer of the ' +
      'identity provider, or too many wrong completion codes.',
    remedy:
      'Start a new attempt with POST /start. If it happens again, give the operator the request_id.',
  },
  'attempt.wrong_flow': {
    title: 'Wrong flow',
    message: 'The attempt belongs to another flow.',
    cause:
      'An attempt that was started with a national_id was sent to POST /callback, or one ' +
      'without it to POST /complete-mfa.',
    remedy:
      'Complete a redirect attempt with POST /callback and a phone attempt with POST ' +
      '/complete-mfa. The attempt itself has not changed.',
  },
  'attempt.already_completed': {
    title: 'Attempt already completed',
    message: 'The attempt is already completed.',
    cause: 'The sign-in of this attempt was finished before, and it can be finished only once.',
    remedy: 'Go on with POST /token/{attempt_id}. There is nothing left to complete.',
  },
  'attempt.already_redeemed': {
    title: 'Attempt already used',
    message: 'The attempt has already been used.',
    cause: 'An attempt can be exchanged for one API token, and this one has been.',
    remedy:
      'Use the API token that was issued. To be able to repeat a request whose answer was lost, ' +
      'send an Idempotency-Key with POST /token and repeat it with the same key and body within ' +
      '60 seconds.',
  },
  'attempt.completion_required': {
    title: 'Completion code not accepted',
    message: 'The sign-in must be finished in the browser where it began.',
    cause:
      'The completion_code of this request is missing where it is needed, is not the one that ' +
      'the browser brought back, or is older than two minutes. Five wrong codes end the attempt.',
    remedy:
      'Send the completion_code that the browser brought to your return address together with ' +
      'attempt_id. If it is gone, start a new attempt.',
  },
  'idempotency.mismatch': {
    title: 'Idempotency-Key used before',
    message: 'The Idempotency-Key was already used with another request body.',
    cause: 'A request may be repeated under the same Idempotency-Key only with the same body.',
    remedy: 'Repeat the request with its first body. For a different request, make a new key.',
  },
  'validation.failed': {
    title: 'Validation failed',
    message: 'The request is not valid.',
    cause: 'One or more members of the request are missing, have the wrong form, or are not known.',
    remedy:
      'Correct the members named in errors. violations points to each of them in the body and names the broken rule.',
  },
  'request.malformed_json': {
    title: 'Malformed JSON',
    message: 'The request body is not valid JSON.',
    cause: 'The body is empty, or it could not be read as JSON text in UTF-8.',
    remedy: 'Write the body with a JSON library, and send a body with every POST, at least {}.',
  },
  'request.malformed': {
    title: 'Malformed request',
    message: 'The request is malformed.',
    cause:
      'The request breaks the rules of HTTP: in its first line, its address, its headers or its length.',
    remedy:
      'Send the request with an ordinary HTTP client, and check what a proxy on the way does to it.',
  },
  'request.too_complex': {
    title: 'Body too complex',
    message: 'The request body is nested too deeply or has too many members.',
    cause:
      'A body may be nested 8 levels deep and have 32 members. No request of this service needs that much.',
    remedy: 'Send only the members that the operation knows.',
  },
  'request.too_large': {
    title: 'Body too large',
    message: 'The request body is too large.',
    cause: 'A request body may have 16 KiB.',
    remedy: 'Send only the members that the operation knows.',
  },
  'request.headers_too_large': {
    title: 'Headers too large',
    message: 'The request headers are too large.',
    cause: 'The headers of the request together are larger than the service accepts.',
    remedy:
      'Leave out headers that the service does not need; often it is cookies of another application.',
  },
  'request.timeout': {
    title: 'Request too slow',
    message: 'The request did not arrive in time.',
    cause:
      'The headers or the body were not complete within the time that the service waits for them.',
    remedy: 'Send the request again on a new connection.',
  },
  'request.unsupported_media_type': {
    title: 'Media type not supported',
    message: 'The media type of the request body is not supported.',
    cause: 'The Content-Type header is missing or names another type than the operation reads.',
    remedy: 'Send JSON with Content-Type: application/json.',
  },
  'request.method_not_allowed': {
    title: 'Method not allowed',
    message: 'This method is not allowed here.',
    cause: 'The path exists, but not for this HTTP method.',
    remedy: 'Use one of the methods in the Allow header of this answer.',
  },
  'request.misdirected': {
    title: 'Host not allowed',
    message: 'This host name is not allowed here. Add it to ALLOWED_HOSTS to allow it.',
    cause:
      'The Host header names neither the host of PUBLIC_URL nor one that the operator allowed. ' +
      'The check protects the service from web pages that point a name of their own at it.',
    remedy:
      'Call the service by the host of PUBLIC_URL, or let the operator add the name to ALLOWED_HOSTS.',
  },
  'request.cross_site': {
    title: 'Request from another site',
    message: 'Requests from other sites are not accepted here.',
    cause:
      'A browser sent this request for a page of another origin, and this operation serves only its own pages.',
    remedy:
      'Open the page of the service itself and start from there. Programs that are not browsers ' +
      'leave out the Origin header.',
  },
  'route.not_found': {
    title: 'Not found',
    message: 'There is nothing at this address.',
    cause: 'The service has no operation and no page at this path.',
    remedy:
      'Check the path: the attempt API is below /api/v1 of PUBLIC_URL. The service lists its operations at /docs.',
  },
  rate_limited: {
    title: 'Too many requests',
    message: 'Too Many Attempts.',
    cause:
      'The number of requests allowed in one minute is used up. The RateLimit-Policy header says which limit it is.',
    remedy:
      'Wait the seconds in Retry-After, then repeat the request. Poll the status every two seconds, not faster.',
  },
  'client.unauthenticated': {
    title: 'Client not authenticated',
    message: 'Unauthenticated.',
    cause:
      'The operation is for back ends of applications, and the request carries no valid client key.',
    remedy:
      'Send the client key in the header Authorization: Bearer mfk_... An API token of a person does not do.',
  },
  'token.missing': {
    title: 'API token missing',
    message: 'Unauthenticated.',
    cause: 'The operation needs an API token, and the request carries none.',
    remedy:
      'Send the token of POST /token/{attempt_id} in the header Authorization: Bearer. Never put it into an address.',
  },
  'token.invalid': {
    title: 'API token not valid',
    message: 'Unauthenticated.',
    cause: 'The API token is not one of this service, has expired, or was revoked.',
    remedy: 'Forget this token and let the person sign in again.',
  },
  'token.not_found': {
    title: 'API token not found',
    message: 'Token not found.',
    cause:
      'The person of this request has no API token with this identifier. It may have been revoked before.',
    remedy: 'Read GET /tokens for the tokens that the person has now.',
  },
  'provider.record_not_found': {
    title: 'No record at the identity provider',
    message: 'The identity provider has no record for this identifier.',
    cause:
      'The identity provider does not know the national_id, or the person has not registered there.',
    remedy:
      'Let the person check the number, or start the redirect flow with a locale alone. Support ' +
      'of the provider asks for the reference in this answer.',
  },
  'provider.unavailable': {
    title: 'Identity provider not available',
    message: 'The identity provider is not available.',
    cause: 'The identity provider cannot be reached, or it answered with an outage.',
    remedy: 'Wait the seconds in Retry-After, then start a new attempt.',
  },
  'provider.timeout': {
    title: 'Identity provider too slow',
    message: 'The identity provider did not answer in time.',
    cause:
      'No answer came from the identity provider in time. The person may still have received a prompt on the phone.',
    remedy: 'Start a new attempt, and tell the person to ignore the earlier prompt.',
  },
  'provider.bad_response': {
    title: 'Answer of the identity provider not usable',
    message: 'The answer of the identity provider could not be used.',
    cause: 'The identity provider answered something that is not in its contract.',
    remedy: 'Start a new attempt. If it happens again, give the operator the request_id.',
  },
  'provider.misconfigured': {
    title: 'Refused by the identity provider',
    message: 'The identity provider refused the service.',
    cause:
      'The identity provider does not accept this service: its credentials, its address or the ' +
      'name of its registered service.',
    remedy:
      'A caller can do nothing here. The operator finds the reason in the log and checks the provider settings.',
  },
  'push.budget_spent': {
    title: 'Too many sign-in requests for this person',
    message: 'Too many sign-in requests for this person. Try later or sign in by browser.',
    cause:
      'Prompts on the phone are limited for each person, so that nobody can be worn down by ' +
      'them, or a prompt is still open there.',
    remedy: 'Wait the seconds in Retry-After, or start the redirect flow with a locale alone.',
  },
  'storage.unavailable': {
    title: 'Storage not available',
    message: 'The service cannot reach its storage.',
    cause: 'The database did not do its work in time. Nothing was changed by this request.',
    remedy:
      'Wait the seconds in Retry-After, then repeat the request; POST /token with the same Idempotency-Key.',
  },
  'storage.outcome_unknown': {
    title: 'Outcome unknown',
    message: 'It is not known whether the request took effect.',
    cause: 'The connection to the database broke while the change was being written.',
    remedy:
      'Repeat POST /token with the same Idempotency-Key and body: the answer is then the same. ' +
      'For other requests, read the state first.',
  },
  'server.overloaded': {
    title: 'Service overloaded',
    message: 'The service is overloaded.',
    cause:
      'The service has more requests than it can answer in time, and turned this one away before doing anything.',
    remedy: 'Wait the seconds in Retry-After, then repeat the request.',
  },
  'server.error': {
    title: 'Server error',
    message: 'Server Error',
    cause: 'The service met a fault of its own.',
    remedy:
      'Repeat the request once. If it fails again, give the operator the request_id, which is in the log too.',
  },
};
