import { hash, randomBytes } from 'node:crypto';

const SECRET_BYTES = 32;

/** What an OpenID client invents for one sign-in (RFC 7636, OpenID Connect Core 3.1.2.1). */
export function openidSecrets() {
  const [state, nonce, verifier] = [randomText(), randomText(), randomText()];
  return { state, nonce, verifier, challenge: hash('sha256', verifier, 'base64url') };
}

const randomText = () => randomBytes(SECRET_BYTES).toString('base64url');
