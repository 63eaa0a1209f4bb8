import { InvalidClientAuth } from 'oidc-provider/lib/helpers/errors.js';
import type { Provider } from 'oidc-provider/lib/provider.js';
import { HOUR_MS, SECOND_MS, type Ms } from '../../values/time.ts';

// What a client signs to prove who it is (private_key_jwt).

export interface AssertionClaims {
  readonly aud?: unknown;
  readonly exp?: unknown;
}

/** Used ones are kept until they expire. */
const LONGEST_ASSERTION_MS = HOUR_MS;

/**
 * The library would take the address of an endpoint for the audience too. A provider that a client
 * uses beside this one could name ours as its own, and use here what the client has signed for it.
 * @throws InvalidClientAuth
 */
export function requireOwnAssertion(issuer: string, { aud, exp }: AssertionClaims, now: Ms): void {
  if (aud !== issuer && !(Array.isArray(aud) && aud.length === 1 && aud[0] === issuer)) {
    throw new InvalidClientAuth('aud must be the issuer, and nothing else');
  }
  if (Number(exp) * SECOND_MS > now + LONGEST_ASSERTION_MS) {
    throw new InvalidClientAuth('the assertion is good for too long');
  }
}

/**
 * The library keeps a used assertion by its issuer and its `jti` in one text: a client could use up
 * those of another one whose id begins with its own. No id of a client has a space.
 */
export function apartByClient(used: Provider['ReplayDetection']): void {
  const unique = used.unique.bind(used);
  used.unique = (issuer, jti, exp) => unique(issuer, ` ${jti}`, exp);
}
