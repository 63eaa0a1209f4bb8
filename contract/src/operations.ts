import type { Schema } from '@miftah/schema';
import {
  AttemptStatus,
  CallbackCompleted,
  CallbackRequest,
  CompleteMfaRequest,
  MfaCompleted,
  SignInQuery,
  Started,
  StatusQuery,
  StartRequest,
} from './attempts.ts';
import { AttemptPath, dataOf } from './parts.ts';
import {
  ApiToken,
  Devices,
  DevicesQuery,
  Introspection,
  IntrospectionRequest,
  TokenRequest,
} from './tokens.ts';
import { TokenUser } from './user.ts';

/** One operation of the attempt API, as a caller sees it. */
export interface Operation {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** The path below the base address, in OpenAPI's form: `/status/{attempt_id}`. */
  readonly path: string;
  /** A schema of the path's members, if they are more than plain text. */
  readonly params?: Schema;
  readonly query?: Schema;
  readonly request?: Schema;
  /** The body of the answer 200. Without it the answer is 204, a stream or a page. */
  readonly answer?: Schema;
}

/**
 * Each operation by its `operationId` in the OpenAPI document. Some modes of a service lack some of
 * them.
 */
export const OPERATIONS = {
  startAttempt: {
    method: 'POST',
    path: '/start',
    request: StartRequest,
    answer: dataOf(Started, 'The attempt, which is pending.'),
  },
  readStatus: {
    method: 'GET',
    path: '/status/{attempt_id}',
    params: AttemptPath,
    query: StatusQuery,
    answer: dataOf(AttemptStatus, 'How the attempt stands.'),
  },
  watchStatus: { method: 'GET', path: '/status/{attempt_id}/events', params: AttemptPath },
  cancelAttempt: { method: 'DELETE', path: '/attempts/{attempt_id}', params: AttemptPath },
  openSignIn: { method: 'GET', path: '/callback', query: SignInQuery },
  completeRedirect: {
    method: 'POST',
    path: '/callback',
    request: CallbackRequest,
    answer: CallbackCompleted,
  },
  completeMfa: {
    method: 'POST',
    path: '/complete-mfa',
    request: CompleteMfaRequest,
    answer: MfaCompleted,
  },
  issueToken: {
    method: 'POST',
    path: '/token/{attempt_id}',
    params: AttemptPath,
    request: TokenRequest,
    answer: dataOf(ApiToken, 'The API token, and whom it is of.'),
  },
  readUser: {
    method: 'GET',
    path: '/user',
    answer: dataOf(TokenUser, 'The user, and the application of the token.'),
  },
  listTokens: { method: 'GET', path: '/tokens', query: DevicesQuery, answer: Devices },
  revokeToken: { method: 'DELETE', path: '/tokens/{token_id}' },
  revokeOwnToken: { method: 'DELETE', path: '/token' },
  introspectToken: {
    method: 'POST',
    path: '/introspect',
    request: IntrospectionRequest,
    answer: Introspection,
  },
} as const satisfies Record<string, Operation>;

export type OperationId = keyof typeof OPERATIONS;

/** The body of a request; undefined if the operation has none. */
export type RequestOf<Id extends OperationId> = (typeof OPERATIONS)[Id] extends {
  readonly request: Schema<infer Body>;
}
  ? Body
  : undefined;

/** The body of the answer 200; undefined where the answer is 204, a stream or a page. */
export type AnswerOf<Id extends OperationId> = (typeof OPERATIONS)[Id] extends {
  readonly answer: Schema<infer Body>;
}
  ? Body
  : undefined;
