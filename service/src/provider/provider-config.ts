import type { ByFlow } from '../attempt/flow.ts';
import type { Secret } from '../values/secret.ts';
import { SECOND_MS, type Ms } from '../values/time.ts';
import type { TokenProfile } from './token/claim-rules.ts';

/**
 * What independent integrators report about the provider where its interface document is silent. A
 * provider that differs gets a profile with another name instead of exceptions in the code.
 */
export interface ProviderProfile {
  readonly name: string;
  /** The required claims of the redirect flow's tokens. */
  readonly redirectToken: TokenProfile;
  /** The required claims of the phone flow's tokens. */
  readonly phoneToken: TokenProfile;
  /** How long a person can answer a push. Reports say 60, 180 and 200 seconds. */
  readonly pushLifetimeMs: Ms;
  /** How long the authorization address can be opened; no report states it. */
  readonly redirectLifetimeMs: Ms;
  /** The provider's own country numbers, mapped to ISO 3166-1 alpha-2. All others give `XX`. */
  readonly nationalities: ReadonlyMap<number, string>;
}

export const REPORTED_PROFILE: ProviderProfile = {
  name: 'reported',
  redirectToken: { required: ['iss', 'aud', 'sub', 'nonce'] },
  // The transaction id ties a push's token to its attempt; some tokens do not repeat the service.
  phoneToken: { required: ['iss', 'aud'] },
  pushLifetimeMs: 200_000,
  redirectLifetimeMs: 300_000,
  // Only one number is reported. The others are in documents that the provider gives to its
  // customers; a guess could give a person another country.
  nationalities: new Map([[113, 'SA']]),
};

/** How long a call to the provider may take, with all its tries. */
export const CALL_DEADLINE_MS: Ms = 5 * SECOND_MS;

/**
 * `live`: a provider of real people. `rehearsal`: a simulator that the operator uses for a
 * rehearsal.
 */
export type ProviderMode = 'live' | 'rehearsal';

/** What the provider knows us by. */
export interface Credentials {
  readonly appId: Secret;
  readonly appKey: Secret;
}

export interface ProviderApiConfig extends Credentials {
  /** The provider's origin, without a path. */
  readonly url: string;
  /** The prefix of the paths of each flow: `/stg`, that of a sandbox, or the empty text. */
  readonly pathPrefixes: ByFlow<string>;
  /** Our own address, the second one in X-Forwarded-For; null for none. */
  readonly ownAddress: string | null;
  /** The service name registered with the provider: sent with a push, and stated in its token. */
  readonly service: string;
  /** The issuer of the tokens of each flow. A token of one flow with the other's is refused. */
  readonly issuers: ByFlow<string>;
  /** The relying party's URL as registered with the provider: the audience of all tokens. */
  readonly audience: string;
  readonly authorizeOrigin: string;
  readonly mode: ProviderMode;
  readonly minimumAssurance: number;
  readonly profile: ProviderProfile;
}
