import type { Secret } from '../domain/secret.ts';

/** What live mode needs beside the other settings. */
export interface LiveConfig {
  /** The provider's origin, without a path. */
  readonly url: string;
  /** Before every path; empty in production. */
  readonly pathPrefix: string;
  readonly appId: Secret;
  readonly appKey: Secret;
  readonly service: string;
  readonly issuer: string;
  readonly audience: string;
  readonly authorizeOrigin: string;
  /** Whether our address for signed results is registered: without it there is no phone flow. */
  readonly hasPushCallback: boolean;
  readonly clientsFile: string;
}
