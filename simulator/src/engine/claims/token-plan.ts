import type { TokenFlaw } from '../outcomes/effects.ts';
import type { Ms } from '../ports.ts';
import type { Claims } from './identity.ts';

/** A token before it is signed: its claims, and the kind of signature it gets. */
export interface TokenPlan {
  readonly claims: Claims;
  /** `unknown_key`: signed with an unpublished key. `none`: not signed. */
  readonly signature: 'good' | 'unknown_key' | 'none';
}

export interface Registered {
  /** `web`: the token of an exchange. `push`: the result of a push. */
  readonly kind: 'web' | 'push';
  readonly issuer: string;
  /** The relying party's URL. The service of a push is in another claim. */
  readonly audience: string;
  /** The `jti`; for a push, the id of its request. */
  readonly tokenId: string;
  readonly now: Ms;
}

/**
 * How long a token is valid after its issue. A web token's `nbf` is as long before it, for slow
 * clocks.
 */
const LIFETIME_S = 150;
/** The age of an expired token: larger than any verifier's clock tolerance. */
const EXPIRED_AGE_S = 2 * LIFETIME_S;
const WRONG_AUDIENCE = 'https://somebody-else.example.test';

const SIGNATURES: Partial<Record<TokenFlaw, TokenPlan['signature']>> = {
  unknown_key: 'unknown_key',
  alg_none: 'none',
};

/** Adds the registered claims (RFC 7519) in front of the others, and applies the flaw. */
export function planToken(wanted: Registered, claims: Claims, flaw: TokenFlaw | null): TokenPlan {
  const { issuer: iss, tokenId: jti } = wanted;
  const aud = flaw === 'wrong_audience' ? WRONG_AUDIENCE : wanted.audience;
  const iat = Math.floor(wanted.now / 1000) - (flaw === 'expired' ? EXPIRED_AGE_S : 0);
  const nbf = wanted.kind === 'web' ? iat - LIFETIME_S : iat;
  const times = { iat, exp: iat + LIFETIME_S, nbf };
  const signature = flaw === null ? 'good' : (SIGNATURES[flaw] ?? 'good');
  return { claims: { iss, aud, ...times, jti, ...claims }, signature };
}
