import type { ErrorWordings } from '../catalogue.ts';

export const REQUESTS = {
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
      'Correct what errors names. violations points to each member of the body, or names the header or the parameter, and the broken rule.',
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
    message: 'The request body is larger than 16 KiB.',
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
  'request.content_unexpected': {
    title: 'Body not expected',
    message: 'This request may not have a body.',
    cause:
      'A request that waits for the end of an attempt has a body, or announces one in Content-Length or Transfer-Encoding.',
    remedy: 'Send the GET without a body, and without Content-Length and Transfer-Encoding.',
  },
  'request.unsupported_media_type': {
    title: 'Media type not supported',
    message: 'The media type of the request body is not supported.',
    cause:
      'The Content-Type header is missing or names another type than the operation reads, or Content-Encoding says that the body is compressed.',
    remedy: 'Send JSON with Content-Type: application/json, and without Content-Encoding.',
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
      'This operation serves only pages of the service itself. The request came from a page of another origin, or did not name its origin where that is needed.',
    remedy:
      'Open the page of the service itself and start from there. A program that is not a browser ' +
      'leaves out the Origin header, but the form of the launch page needs it: there it sends ' +
      'PUBLIC_URL as Origin.',
  },
  'origin.refused': {
    title: 'Page not allowed',
    message: 'This page may not use the service.',
    cause:
      'A browser sent this request for a page of another origin, which is not one of those that may use the API.',
    remedy:
      'Call the API from your own server, or let the operator add the origin of the page to CORS_ORIGINS. ' +
      'Programs that are not browsers leave out the Origin header.',
  },
  'route.not_found': {
    title: 'Not found',
    message: 'There is nothing at this address.',
    cause: 'The service has no operation and no page at this path.',
    remedy:
      'Check the path: the attempt API is below /api/v1 of PUBLIC_URL, and all else is at its ' +
      'origin. The baseUrl of a client, or the MIFTAH_URL it is read from, ends with /api/v1. ' +
      'The service lists its operations at /openapi.json.',
  },
  rate_limited: {
    title: 'Too many requests',
    message: 'Too Many Attempts.',
    cause:
      'The number of requests allowed in one minute is used up. The RateLimit-Policy header says which limit it is.',
    remedy:
      'Wait the seconds in Retry-After, then repeat the request. Poll the status every two seconds, not faster.',
  },
  'stream.limit_reached': {
    title: 'Too many event streams',
    message: 'Too many are waiting for a status at the moment.',
    cause:
      'An attempt can be watched by two at a time, and an instance has a limited number of ' +
      'places: in all, for one client, and for one address. violated-policies says which limit it is.',
    remedy:
      'Close streams that nobody reads any more, or poll the status every two seconds. Try again after the seconds in Retry-After.',
  },
} as const satisfies Partial<ErrorWordings>;
