import { completionCodeDigest } from '../../domain/completion-code.ts';
import type { Digest } from '../../domain/digest.ts';
import type { RedemptionRequest } from '../../domain/idempotency.ts';
import type { Secret } from '../../domain/secret.ts';
import type { TokenWithUser } from '../../ports/store/index.ts';

/** A request for an API token as it arrived: the attempt's id may be any text. */
export interface TokenRequest extends Omit<ProvenTokenRequest, 'attemptId'> {
  readonly attemptId: string;
}

/** The same request after its attempt was found and its token verified. */
export interface ProvenTokenRequest extends RedemptionRequest {
  readonly idempotencyKey: string | null;
  /** The client whose key the request carried; null without a key. */
  readonly client: string | null;
}

export interface IssuedToken extends TokenWithUser {
  /** The plain token. It is sent in this one answer and stored nowhere. */
  readonly text: Secret;
}

export function digestOfCode({ completionCode }: RedemptionRequest): Digest | null {
  return completionCode === null ? null : completionCodeDigest(completionCode);
}
