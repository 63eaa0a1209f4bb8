/**
 * What goes over the wire of the attempt API (area A): one schema is the service's validation, the
 * OpenAPI document and the type that a client is written against. Names and shapes are the interface
 * document's. A type bears the name of its schema.
 */
export {
  AttemptStatus,
  CallbackCompleted,
  CallbackRequest,
  CompleteMfaRequest,
  MfaCompleted,
  Started,
  StartRequest,
  type MfaStarted,
  type OidcStarted,
} from './attempts.ts';
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
