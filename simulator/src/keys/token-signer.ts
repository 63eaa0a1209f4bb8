import { createLocalJWKSet, importJWK, jwtVerify, SignJWT, UnsecuredJWT } from 'jose';
import type { Claims } from '../engine/claims/identity.ts';
import type { TokenPlan } from '../engine/claims/token-plan.ts';
import type { Ms } from '../engine/ports.ts';
import type { KeyRing } from './key-ring.ts';
import { ALGORITHM, type SigningKey } from './signing-key.ts';

/** Signs planned tokens, and verifies the provider's own tokens. */
export class TokenSigner {
  readonly #ring: KeyRing;

  constructor(ring: KeyRing) {
    this.#ring = ring;
  }

  async sign({ claims, signature }: TokenPlan): Promise<string> {
    // jose writes `alg: none`, and an empty third part.
    if (signature === 'none') return new UnsecuredJWT({ ...claims }).encode();
    const key = await (signature === 'good' ? this.#ring.signing() : this.#ring.stray());
    return signed(claims, key);
  }

  /** The claims of a token; null unless a published key has signed it and its times are valid. */
  async read(token: string, now: Ms): Promise<Claims | null> {
    const keys = createLocalJWKSet({ keys: [...(await this.#ring.published(now))] });
    const currentDate = new Date(now);
    try {
      return (await jwtVerify(token, keys, { algorithms: [ALGORITHM], currentDate })).payload;
    } catch {
      return null;
    }
  }
}

async function signed(claims: Claims, key: SigningKey): Promise<string> {
  const header = { alg: ALGORITHM, typ: 'JWT', kid: key.kid };
  return new SignJWT({ ...claims })
    .setProtectedHeader(header)
    .sign(await importJWK({ ...key }, ALGORITHM));
}
