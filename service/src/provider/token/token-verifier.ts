import { compactVerify, errors, type CryptoKey } from 'jose';
import type { ByFlow } from '../../attempt/flow.ts';
import type { Ms } from '../../values/time.ts';
import type { JsonObject } from '../strict-json.ts';
import type { ProviderProfile } from '../provider-config.ts';
import { checkClaims, type TokenExpectation } from './claim-rules.ts';
import type { ProviderKeySet } from './provider-key-set.ts';
import { ALGORITHM, parseToken } from './parse-token.ts';
import { TokenFault } from './token-fault.ts';

export interface VerifierSettings {
  /** Of the tokens of each flow. */
  readonly issuers: ByFlow<string>;
  /** The relying party's URL: the audience in the tokens of both flows. */
  readonly audience: string;
  readonly profile: Pick<ProviderProfile, 'redirectToken' | 'phoneToken'>;
}

/**
 * Accepts a token only if the provider signed it, for us, for this attempt, and its times are
 * valid.
 *
 * The signature is verified before any claim is looked at. So a fault of a claim is always one of a
 * token that the provider has signed, and the operator may be told what was in it.
 */
export class TokenVerifier {
  readonly #settings: VerifierSettings;
  readonly #keys: ProviderKeySet;

  constructor(settings: VerifierSettings, keys: ProviderKeySet) {
    this.#settings = settings;
    this.#keys = keys;
  }

  /** Before a token is asked for that can be had only once. @throws Refusal */
  async prepare(now: Ms): Promise<void> {
    await this.#keys.prepare(now);
  }

  /**
   * @param cameAt when the token came: its times are compared with this one
   * @throws TokenFault when the token is refused, Refusal while its key can't be known
   */
  async verify(
    token: string,
    expected: TokenExpectation,
    now: Ms,
    cameAt: Ms = now,
  ): Promise<JsonObject> {
    const { kid, claims } = parseToken(token);
    const { issuers, audience, profile: profiles } = this.#settings;
    const [issuer, profile] =
      expected.kind === 'redirect'
        ? [issuers.oidc, profiles.redirectToken]
        : [issuers.mfa, profiles.phoneToken];
    await checkSignature(token, await this.#keys.find(kid, now, cameAt));
    checkClaims(claims, { issuer, audience, profile, expected, now: cameAt });
    return claims;
  }
}

async function checkSignature(token: string, key: CryptoKey): Promise<void> {
  try {
    await compactVerify(token, key, { algorithms: [ALGORITHM] });
  } catch (error) {
    if (error instanceof errors.JOSEError) throw new TokenFault('signature');
    throw error;
  }
}
