import type { AttemptId } from '../../values/ids.ts';
import type { Digest, Secret } from '../../values/secret.ts';
import type { RedemptionRequest } from './idempotency.ts';
import type { TokenWithUser } from '../../store/ports/store.port.ts';

/** A request for an API token as it arrived: the attempt's id may be any text. */
export interface TokenRequest extends Omit<RedemptionRequest, 'attemptId'> {
  readonly attemptId: string;
  readonly idempotencyKey: string | null;
  /** The client whose key the request carried; null without a key. */
  readonly client: string | null;
}

/** The same request after its attempt was found and its token verified. */
export interface ProvenTokenRequest extends TokenRequest, RedemptionRequest {
  readonly attemptId: AttemptId;
  /** Of its completion code; null without one. */
  readonly completionDigest: Digest | null;
}

export interface IssuedToken extends TokenWithUser {
  /** The plain token. It is sent in this one answer and stored nowhere. */
  readonly text: Secret;
}
