import type { ControlApi } from './control-api.ts';
import { guarded, oneOf } from './options.ts';

const FLAWS = [
  'wrong_signature',
  'wrong_audience',
  'wrong_nonce',
  'wrong_issuer',
  'alg_none',
  'expired',
] as const;
/** What is wrong in an ID token that is otherwise as it should be. */
export type IdTokenFlaw = (typeof FLAWS)[number];

/** What the OpenID Provider does that a client has to refuse, or to bear. */
export interface OpenidOfMiftah {
  /** The next ID token for a client of the scope is wrong, once: of a code, a refresh or a push. */
  nextIdToken(flaw: IdTokenFlaw): Promise<void>;
  /**
   * ID tokens are signed with the next keys. A client that has read the list of keys before knows them
   * already, and those after the next call not: it has to read the list anew.
   */
  rotateKeys(): Promise<void>;
}

export function openidOf(control: ControlApi): OpenidOfMiftah {
  const openid: OpenidOfMiftah = {
    nextIdToken: async (flaw) =>
      void (await control.call('nextOfOpenid', { body: { idToken: flaw } })),
    rotateKeys: async () => void (await control.call('rotateOpenidKeys', { body: {} })),
  };
  const rules = {
    nextIdToken: [{ name: 'flaw', ...oneOf(...FLAWS) }],
    rotateKeys: [],
  } as const;
  return guarded(openid, rules, 'openid.');
}
