import type { PlantedBug } from '../support/planted-bug.ts';

const THREATS = 'service/test/threats/openid.test.ts';
const API = 'service/test/api/openid.test.ts';
const SIGN_IN = 'service/src/openid/sign-in.flow.ts';
const PROVIDER = 'service/src/openid/provider.ts';

/** Bugs of the OpenID Provider. */
export const OPENID_BUGS: readonly PlantedBug[] = [
  {
    name: 'openid: the end of a sign-in does not look at the cookie of the launch',
    edits: [
      {
        file: SIGN_IN,
        from: 'if (!(await launching.isLauncher(attemptId, back.cookieOf))) {',
        to: 'if (back.uid === attemptId) {',
      },
    ],
    test: {
      file: THREATS,
      name: 'threat 119: a return without one of its cookies > is refused without that of the launch',
    },
  },
  {
    name: 'openid: an attempt ends any interaction',
    edits: [
      {
        file: SIGN_IN,
        from: "if (linked !== attemptId) throw new Refusal('attempt.not_found');",
        to: 'void linked;',
      },
    ],
    test: {
      file: THREATS,
      name: 'threat 119: a return without one of its cookies > ends no other sign-in of the same browser',
    },
  },
  {
    name: 'openid: a lost consumption of a code is no error',
    edits: [
      {
        file: 'service/src/openid/records.ts',
        from: "if (!isFirst) throw new InvalidGrant('already consumed');",
        to: 'void isFirst;',
      },
    ],
    test: {
      file: THREATS,
      name: 'threat 120: a code > redeemed twelve times at once gives one token, and nothing breaks',
    },
  },
  {
    name: 'openid: single claims are granted beyond the scopes of the client',
    edits: [
      {
        file: PROVIDER,
        from: 'grant.addOIDCClaims(asked.filter((claim) => own.has(claim)));',
        to: 'grant.addOIDCClaims(own.size < 0 ? [] : asked);',
      },
    ],
    test: {
      file: THREATS,
      name: 'threat 121: a client > gets no claim by the claims parameter that its scopes would not give',
    },
  },
  {
    name: 'openid: a disabled person keeps what they were given',
    edits: [
      {
        file: PROVIDER,
        from: 'if (user === null || user.disabledAt !== null) return undefined;',
        to: 'if (user === null) return undefined;',
      },
    ],
    test: {
      file: THREATS,
      name: 'threat 122: a person whom the operator has stopped > by disabling them: no token, no claims, no new sign-in, and no 500',
    },
  },
  {
    name: 'openid: an acr that can not be reached is asked for again and again',
    edits: [
      {
        file: 'service/src/openid/policy.ts',
        from: 'if (!asks || context.oidc.result?.login === undefined) return asks;',
        to: "if (!asks || context.oidc.result?.login === undefined || check.reason !== '') return asks;",
      },
    ],
    test: {
      file: API,
      name: 'a sign-in that brings no code > is unmet_authentication_requirements for a level that the person lacks',
    },
  },
];
