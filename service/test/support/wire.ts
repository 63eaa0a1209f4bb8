import type { ApiToken, MfaStarted, OidcStarted, User } from '@miftah/contract';

/** The answers of the API, as an application reads them. */

/** A start of either flow: a test reads the member of the flow that it has started. */
export type Started = Pick<MfaStarted, keyof MfaStarted & keyof OidcStarted> &
  Partial<OidcStarted & MfaStarted>;

export type Issued = ApiToken;
export type WireUser = User;
