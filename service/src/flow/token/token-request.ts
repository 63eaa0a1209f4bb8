import { completionCodeDigest } from '../../domain/completion-code.ts';
import type { Digest } from '../../domain/digest.ts';
import type { RedemptionRequest } from '../../domain/idempotency.ts';
import type { Secret } from '../../domain/secret.ts';
import type { TokenWithUser } from '../../ports/store.ts';

/** A request for an API token, as it came: the attempt's id may be any text. */
export interface TokenRequest extends Omit<ProvenTokenRequest, 'attemptId'> {
  readonly attemptId: string;
}

/** The same once its attempt has been found and proved. */
export interface ProvenTokenRequest extends RedemptionRequest {
  readonly idempotencyKey: string | null;
  /** Whose key the request carried; null without one. */
  readonly client: string | null;
}

export interface IssuedToken extends TokenWithUser {
  /** The plain token. It leaves the service in this one answer and is stored nowhere. */
  readonly text: Secret;
}

export function digestOfCode({ completionCode }: RedemptionRequest): Digest | null {
  return completionCode === null ? null : completionCodeDigest(completionCode);
}
