import { type Digest, Secret, digestOf } from '../values/secret.ts';

/** As base64url the 64 characters that `ATTEMPT_TOKEN_LENGTH` of the contract says. */
export const ATTEMPT_TOKEN_BYTES = 48;

/** The attempt token: what RFC 8628 calls a device_code. Stored only as a digest. */
export function makeAttemptToken(random: Uint8Array): Secret {
  return new Secret(Buffer.from(random).toString('base64url'));
}

/** Any text has a digest, so a malformed token is treated like a wrong one. */
export function attemptTokenDigest(token: string): Digest {
  return digestOf('attempt', token);
}
