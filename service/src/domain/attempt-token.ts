import { digestOf, type Digest } from './digest.ts';
import { Secret } from './secret.ts';

/** `ATTEMPT_TOKEN_LENGTH` characters of base64url. */
export const ATTEMPT_TOKEN_BYTES = 48;

/** The attempt token: what RFC 8628 calls a device_code. Stored only as a digest. */
export function makeAttemptToken(random: Uint8Array): Secret {
  return new Secret(Buffer.from(random).toString('base64url'));
}

/** Any text has a digest, so a malformed token is treated like a wrong one. */
export function attemptTokenDigest(token: string): Digest {
  return digestOf('attempt', token);
}
