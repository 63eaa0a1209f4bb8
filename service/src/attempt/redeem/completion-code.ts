import { COMPLETION_CODE_LIFETIME_SECONDS } from '@miftah/contract/values';
import { type Digest, Secret, digestOf } from '../../values/secret.ts';
import { SECOND_MS } from '../../values/time.ts';

export const COMPLETION_CODE_BYTES = 32;
export const COMPLETION_CODE_LIFETIME_MS = COMPLETION_CODE_LIFETIME_SECONDS * SECOND_MS;
/** The fifth wrong code ends the attempt. */
export const COMPLETION_CODE_TRIES = 5;

/** Proves that the redemption comes from the browser that finished the sign-in. */
export function makeCompletionCode(random: Uint8Array): Secret {
  return new Secret(Buffer.from(random).toString('base64url'));
}

export function completionCodeDigest(code: string): Digest {
  return digestOf('completion', code);
}
