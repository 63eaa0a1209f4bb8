import type { TokenFlaw } from '../effects.ts';
import type { Ms } from '../ports.ts';
import type { Claims } from './identity.ts';

/** A token before it is signed: its claims, and which signature it gets. */
export interface TokenPlan {
  readonly claims: Claims;
  /** `unknown_key`: by a key that is not published. `none`: not at all. */
  readonly signature: 'good' | 'unknown_key' | 'none';
}

export interface Registered {
  /** Of the exchange, or of a push. */
  readonly kind: 'web' | 'push';
  readonly issuer: string;
  /** The relying party's URL. A push names its service in a claim of its own. */
  readonly audience: string;
  /** A push's is the id of its request. */
  readonly tokenId: string;
  readonly now: Ms;
}

/** A token is good for so long after it was issued; one of the web as long before, for slow clocks. */
const LIFETIME_S = 150;
/** How old an expired token is: more than any verifier allows for clocks that differ. */
const EXPIRED_AGE_S = 2 * LIFETIME_S;
const WRONG_AUDIENCE = 'https://somebody-else.example.test';

const SIGNATURES: Partial<Record<TokenFlaw, TokenPlan['signature']>> = {
  unknown_key: 'unknown_key',
  alg_none: 'none',
};

/** Puts the registered claims before the others, and applies the flaw. */
export function planToken(wanted: Registered, claims: Claims, flaw: TokenFlaw | null): TokenPlan {
  const { issuer: iss, tokenId: jti } = wanted;
  const aud = flaw === 'wrong_audience' ? WRONG_AUDIENCE : wanted.audience;
  const iat = Math.floor(wanted.now / 1000) - (flaw === 'expired' ? EXPIRED_AGE_S : 0);
  const nbf = wanted.kind === 'web' ? iat - LIFETIME_S : iat;
  const times = { iat, exp: iat + LIFETIME_S, nbf };
  const signature = flaw === null ? 'good' : (SIGNATURES[flaw] ?? 'good');
  return { claims: { iss, aud, ...times, jti, ...claims }, signature };
}
