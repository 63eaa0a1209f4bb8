export { createClient, type ClientOptions, type Miftah } from './client.ts';
export { MiftahError } from './error.ts';
export type {
  Bearer,
  FinishOptions,
  Login,
  LoginOptions,
  LoginResult,
  SessionStore,
} from './login.ts';
export { relayEvents, type RelayOptions } from './relay-events.ts';
export type {
  ApiToken,
  Attempt,
  AttemptStatus,
  BrowserAttempt,
  CancelOptions,
  EndedStatus,
  Flow,
  Introspection,
  IssueOptions,
  PendingStatus,
  PhoneAttempt,
  Problem,
  StartOptions,
  TokenUser,
  User,
  WaitOptions,
} from './types.ts';
