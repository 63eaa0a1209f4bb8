import { type Digest, Secret, digestOf } from '../../values/secret.ts';

export const BROWSER_SECRET_BYTES = 32;

/** A cookie value that tells the browser that launched a sign-in from all other browsers. */
export function makeBrowserSecret(random: Uint8Array): Secret {
  return new Secret(Buffer.from(random).toString('base64url'));
}

export function browserDigest(secret: string): Digest {
  return digestOf('browser', secret);
}

/** Base64url of that many bytes. */
export const BROWSER_SECRET_PATTERN = '^[A-Za-z0-9_-]{43}$';
const BROWSER_SECRET = new RegExp(BROWSER_SECRET_PATTERN);

export function isBrowserSecret(text: string): boolean {
  return BROWSER_SECRET.test(text);
}
