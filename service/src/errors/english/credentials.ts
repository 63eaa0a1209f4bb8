import type { ErrorWordings } from '../catalogue.ts';

export const CREDENTIALS = {
  'client.unauthenticated': {
    title: 'Client not authenticated',
    message: 'Unauthenticated.',
    detail: 'No Authorization header was sent. Send the key of a client in it: Bearer mfk_...',
    cause:
      'The operation is for back ends of applications, and the request carries no valid client key.',
    remedy:
      'Send the client key in the header Authorization: Bearer mfk_... An API token of a person is not accepted here.',
  },
  'token.missing': {
    title: 'API token missing',
    message: 'Unauthenticated.',
    detail: 'Send the API token in the Authorization header: Bearer mft_...',
    cause: 'The operation needs an API token, and the request carries none.',
    remedy:
      'Send the token of POST /token/{attempt_id} in the header Authorization: Bearer. Never put it into an address.',
  },
  'token.in_address': {
    title: 'API token in the address',
    message: 'An API token is not accepted in the address.',
    cause:
      'The address of the request has the parameter access_token. Addresses are kept in logs and histories, and whoever reads those has the token.',
    remedy:
      'Send the token in the header Authorization: Bearer only, and revoke one that has been in an address.',
  },
  'token.invalid': {
    title: 'API token not valid',
    message: 'Unauthenticated.',
    detail: 'The API token is unknown, has expired or was revoked.',
    cause: 'The API token is not one of this service, has expired, or was revoked.',
    remedy:
      'Forget this token and let the person sign in again. A client key (mfk_...) is not accepted here: send the token of POST /token/{attempt_id}.',
  },
  'token.not_found': {
    title: 'API token not found',
    message: 'Token not found.',
    cause:
      'The person of this request has no API token with this identifier. It may have been revoked before.',
    remedy: 'Read GET /tokens for the tokens that the person has now.',
  },
} as const satisfies Partial<ErrorWordings>;
