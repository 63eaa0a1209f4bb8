import type { ErrorWordings } from '../catalogue.ts';

export const ATTEMPTS = {
  'attempt.token_missing': {
    title: 'Attempt token missing',
    message: 'Unauthenticated.',
    detail: 'The header X-Provider-Attempt-Token is missing.',
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
      'Use the attempt_id and the attempt_token of the same answer of POST /start, unchanged. ' +
      'In live and strict mode, POST /token also needs the key of the client that started. If they ' +
      'are lost, or the service was started again with an empty store since then, start a new ' +
      'attempt.',
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
  'attempt.cancelled': {
    title: 'Attempt cancelled',
    message: 'The sign-in was cancelled.',
    cause: 'The application cancelled this sign-in. That is final for this attempt.',
    remedy: 'Start a new attempt with POST /start when the person asks for it.',
  },
  'attempt.failed': {
    title: 'Attempt failed',
    message: 'The sign-in failed.',
    cause:
      'The attempt was ended because something went wrong on the way: a faulty answer of the ' +
      'identity provider, too many wrong completion codes, a return in another browser, or a ' +
      'revocation by the operator.',
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
  'callback.browser_mismatch': {
    title: 'Sign-in opened in another browser',
    message: 'The sign-in was opened in another browser than the one where it began.',
    cause:
      'The button of the launch page was pressed in a second browser, or a browser came back from ' +
      'the identity provider that is not the launching one. After such a return the attempt can no ' +
      'longer be completed.',
    remedy: 'Go back to the application in your own browser and start the sign-in again.',
  },
} as const satisfies Partial<ErrorWordings>;
