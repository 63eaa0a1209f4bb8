import type { Secret } from '../domain/secret.ts';
import type { Ms } from '../domain/time.ts';
import type { TokenProfile } from './token/claim-rules.ts';

/**
 * What independent integrators report of the provider where its interface document is silent. It
 * has a name, so that a provider that differs gets a profile of its own and no exceptions.
 */
export interface ProviderProfile {
  readonly name: string;
  /** Tokens of the redirect flow. */
  readonly redirectToken: TokenProfile;
  /** Tokens of the phone flow. */
  readonly phoneToken: TokenProfile;
  /** How long a person may act on a push. Reports give 60, 180 and 200 seconds. */
  readonly pushLifetimeMs: Ms;
  /** How long the authorization address may be opened; nothing is reported of it. */
  readonly redirectLifetimeMs: Ms;
  /** The provider's own country numbers, to ISO 3166-1 alpha-2. Any other is `XX`. */
  readonly nationalities: ReadonlyMap<number, string>;
}

export const REPORTED_PROFILE: ProviderProfile = {
  name: 'reported',
  redirectToken: { required: ['iss', 'aud', 'sub', 'nonce'] },
  phoneToken: { required: ['iss', 'aud', 'ServiceName'] },
  pushLifetimeMs: 200_000,
  redirectLifetimeMs: 300_000,
  // One number is reported. The others stand in the provider's own papers, and guessing one would
  // give a person another country.
  nationalities: new Map([[113, 'SA']]),
};

/** What stands at the other end: people, or a simulator that the operator chose to rehearse with. */
export type ProviderMode = 'live' | 'rehearsal';

export interface ProviderApiConfig {
  /** The provider's origin, without a path. */
  readonly url: string;
  /** Before every path: `/stg`, a sandbox's own, or nothing. */
  readonly pathPrefix: string;
  readonly appId: Secret;
  readonly appKey: Secret;
  /** Our own address, the second of X-Forwarded-For. */
  readonly ownAddress: string | null;
  /** The registered service name: asked for in a push, and named by its token. */
  readonly service: string;
  readonly issuer: string;
  /** The relying party's URL, as the provider has registered it: the audience of all tokens. */
  readonly audience: string;
  readonly authorizeOrigin: string;
  readonly mode: ProviderMode;
  readonly minimumAssurance: number;
  readonly profile: ProviderProfile;
}
