/**
 * The requests and answers of the attempt API (area A). Each schema serves for the service's
 * validation, for the OpenAPI document, and as the type for clients. Names and shapes are the
 * interface document's. A type has the name of its schema.
 */
export {
  AttemptStatus,
  StatusQuery,
  CallbackCompleted,
  CallbackRequest,
  CompleteMfaRequest,
  MfaCompleted,
  SignInQuery,
  Started,
  StartRequest,
  type MfaStarted,
  type OidcStarted,
} from './attempts.ts';
export * from './errors.ts';
export { AttemptPath, dataOf, NoContent } from './parts.ts';
export { PLACEHOLDER } from './placeholders.ts';
export { Problem, PROBLEM } from './problem.ts';
export {
  ApiToken,
  Devices,
  DevicesQuery,
  Introspection,
  IntrospectionRequest,
  TokenRequest,
  type Device,
} from './tokens.ts';
export { TokenUser, User } from './user.ts';
export * from './values.ts';
