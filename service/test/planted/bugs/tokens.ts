import type { PlantedBug } from '../support/planted-bug.ts';

const CLAIM_RULES = 'service/src/provider/token/claim-rules.ts';
const MATRIX = 'service/test/provider/token-matrix.test.ts';

function refused(row: string) {
  const keys = 'tokens of a provider with RSA keys of 2048 bits';
  return { file: MATRIX, name: `${keys} > refused: ${row}` };
}

/** Bugs in the verification of the provider's tokens and unsigned answers. */
export const TOKEN_BUGS: readonly PlantedBug[] = [
  {
    name: 'a lone surrogate in a claim',
    edits: [
      {
        file: 'service/src/values/text.ts',
        from: "return value.isWellFormed() && !value.includes('\\0');",
        to: "return !value.includes('\\0');",
      },
    ],
    test: refused('redirect: englishName of half a pair'),
  },
  {
    name: 'auth_time in the future accepted',
    edits: [
      {
        file: CLAIM_RULES,
        from: "{ ...rule('auth_time', start, latest), told",
        to: "{ ...rule('auth_time', start, Number.MAX_SAFE_INTEGER), told",
      },
    ],
    test: refused('redirect: auth_time in the future'),
  },
  {
    name: 'auth_time before the attempt accepted',
    edits: [
      {
        file: CLAIM_RULES,
        from: "{ ...rule('auth_time', start, latest), told",
        to: "{ ...rule('auth_time', 0, latest), told",
      },
    ],
    test: refused('redirect: auth_time a day ago'),
  },
  {
    name: 'nonce unchecked',
    edits: [
      {
        file: CLAIM_RULES,
        from: "{ name: 'nonce', isRight: (value) => value === nonce }",
        to: "{ name: 'nonce', isRight: (value) => typeof value === 'string' }",
      },
    ],
    test: refused('redirect: nonce of another attempt'),
  },
  {
    name: "alg taken from the token's header",
    edits: [
      {
        file: 'service/src/provider/token/parse-token.ts',
        from: "if (member(header, 'alg') !== ALGORITHM) throw new TokenFault('header', 'alg');",
        to: '',
      },
      {
        file: 'service/src/provider/token/token-verifier.ts',
        from: 'async function checkSignature(token: string, key: CryptoKey): Promise<void> {',
        to: `async function checkSignature(token: string, key: CryptoKey): Promise<void> {
  const header = Buffer.from(token.split('.')[0] ?? '', 'base64url').toString();
  if (/"alg":"none"/i.test(header)) return;`,
      },
    ],
    test: refused('phone: alg none'),
  },
  {
    name: 'audience of a push unchecked',
    edits: [
      {
        file: CLAIM_RULES,
        from: 'function issuanceRules({ issuer, audience }: ClaimContext): readonly Rule[] {',
        to: 'function issuanceRules({ issuer, audience, expected }: ClaimContext): readonly Rule[] {',
      },
      {
        file: CLAIM_RULES,
        from: 'isRight: (value) => isAudience(value, audience)',
        to: "isRight: (value) => expected.kind === 'phone' || isAudience(value, audience)",
      },
    ],
    test: refused('phone: aud of another service'),
  },
  {
    name: 'service name taken for the audience of a push',
    edits: [
      {
        file: CLAIM_RULES,
        from: 'isRight: (value) => isAudience(value, audience)',
        to: "isRight: (value) => isAudience(value, audience) || isAudience(value, 'Login')",
      },
    ],
    test: refused('phone: aud that is the service name'),
  },
  {
    name: 'two names in one token ignored',
    edits: [
      {
        file: 'service/src/provider/claims/names.ts',
        from: "if (areDifferent(names) || areDifferent(firsts)) throw new TokenFault('name', 'two names');",
        to: '',
      },
    ],
    test: {
      file: 'service/test/provider/claims.test.ts',
      name: 'the forms of a name in the redirect flow > refused: two whole names',
    },
  },
  {
    name: 'a visitor signed in by a token without names',
    edits: [
      {
        file: 'service/src/provider/claims/identifier.ts',
        from: "  ['2', 'iqama'],\n]);",
        to: "  ['2', 'iqama'],\n  ['3', 'visa'],\n]);",
      },
    ],
    test: refused('phone: without names, of a visitor'),
  },
  {
    name: 'a refusal that names the person lets them in',
    edits: [
      {
        file: 'service/src/provider/http-provider-api.ts',
        from: "if (status !== 'completed') return { result: status };",
        to: "if (status !== 'completed' && textMember(claims, 'nin') === undefined) return { result: status };",
      },
    ],
    test: {
      file: 'service/test/threats/push-results.test.ts',
      name: 'threat 34: a result that is no approval > REJECTED lets nobody in, although it names the person',
    },
  },
  {
    name: 'transaction of a push unchecked',
    edits: [
      {
        file: CLAIM_RULES,
        from: "if (member(claims, 'transId') !== transactionId) throw new TokenFault('transId');",
        to: '',
      },
    ],
    test: refused('phone: transId of another push'),
  },
  {
    name: 'exp off by one at the expiry',
    edits: [
      {
        file: CLAIM_RULES,
        from: "rule('exp', now - CLOCK_SKEW_MS + 1,",
        to: "rule('exp', now - CLOCK_SKEW_MS,",
      },
    ],
    test: refused('redirect: exp a minute ago'),
  },
  {
    name: 'another person in the push accepted',
    edits: [
      {
        file: 'service/src/provider/http-provider-api.ts',
        from: "if (person.nationalId !== nationalId) throw new Refusal('provider.mismatch');",
        to: '',
      },
    ],
    test: {
      file: 'service/test/threats/phone.test.ts',
      name: 'threat 35: the provider answers with another person > in the same register: the attempt fails',
    },
  },
  {
    name: 'unsigned COMPLETED believed',
    edits: [
      {
        file: 'service/src/attempt/finish/remote-news.flow.ts',
        from: "return result === 'approved' ? noteApproval(services, record, transaction, now) : WAITING;",
        to: `if (result !== 'approved' || record.nationalId === null) return WAITING;
    const { nationalId } = record;
    const person = {
      issuer: 'https://provider.example.test',
      documentType: 'nin',
      documentNumber: nationalId,
      nationalId,
      arabicName: '',
      englishName: '',
      email: null,
      nationality: 'XX',
      gender: 'M',
      assuranceLevel: 3,
    } as const;
    return { result: 'approved', person };`,
      },
    ],
    test: {
      file: 'service/test/threats/phone.test.ts',
      name: 'threat 1: completion of a phone attempt without the person > makes nobody of an unsigned COMPLETED',
    },
  },
  {
    name: 'state digest not checked against hashedState',
    edits: [
      {
        file: 'service/src/provider/session.ts',
        from: "if (member(answer, 'hashedState') !== digest) throw badSession('hashedState');",
        to: '',
      },
    ],
    test: {
      file: 'service/test/provider/session.test.ts',
      name: 'an answer that does not hold together > another state’s hash',
    },
  },
  {
    name: 'a push sent again after an outage',
    edits: [
      {
        file: 'service/src/provider/call/operations.ts',
        from: "push: { flow: 'mfa', method: 'POST', path: '/api/v1/mfa/request', tries: 1,",
        to: "push: { flow: 'mfa', method: 'POST', path: '/api/v1/mfa/request', tries: 2,",
      },
    ],
    test: {
      file: 'service/test/provider/call.test.ts',
      name: 'repeating > a push and an exchange are sent once, whatever comes: 500',
    },
  },
  {
    name: 'a simulator believed in live mode',
    edits: [
      {
        file: 'service/src/provider/call/verdict.ts',
        from: "if (reply.simulated && mode === 'live')",
        to: "if (reply.simulated && mode === 'any')",
      },
    ],
    test: {
      file: 'service/test/provider/call.test.ts',
      name: 'a simulator at the other end > is refused in live mode, also when it answers an error',
    },
  },
  {
    name: 'a signed EXPIRED taken for a refusal by the person',
    edits: [
      {
        file: 'service/src/provider/token/claim-rules.ts',
        from: "['EXPIRED', 'expired'],",
        to: "['EXPIRED', 'rejected'],",
      },
    ],
    test: {
      file: 'service/test/threats/push-results.test.ts',
      name: 'threat 34: a result that is no approval > EXPIRED ends the attempt before the push would have ended by itself',
    },
  },
  {
    name: 'a repetition with the key of the first request is refused',
    edits: [
      {
        file: 'service/src/attempt/redeem/replay-redemption.flow.ts',
        from: '    hasSameKey(known, seal, asked, idempotencyKey),',
        to: '    !hasSameKey(known, seal, asked, idempotencyKey),',
      },
    ],
    test: {
      file: 'service/test/e2e/lost-answers.test.ts',
      name: 'gives the same token again when the answer was lost, also by a kill',
    },
  },
  {
    name: 'a sign-in that began before the revocation of its person goes on',
    edits: [
      {
        file: 'service/src/store/sql/stores/tokens.ts',
        from: 'step(sql.endSignIns, { id: userId, at })',
        to: 'step(sql.endSignIns, { id: userId, at: 0 })',
      },
    ],
    test: {
      file: 'service/test/threats/revoked-sign-ins.test.ts',
      name: 'threat 100: a revocation, and what is under way > --user: a browser that comes back afterwards brings no code',
    },
  },
  {
    name: 'a spoiled mark whose write failed is kept in memory alone',
    edits: [
      {
        file: 'service/src/program/housekeeping.ts',
        from: '    async recordStop() {\n      await writeHeldSpoils(services, clock.now());\n',
        to: '    async recordStop() {\n',
      },
    ],
    test: {
      file: 'service/test/threats/unwritten-spoil.test.ts',
      name: 'threat 98: the mark of a relayed sign-in whose one write failed > is written at a stop',
    },
  },
  {
    name: 'a claim looked at before the signature',
    edits: [
      {
        file: 'service/src/provider/token/token-verifier.ts',
        from: '    await checkSignature(token, await this.#keys.find(kid, now, cameAt));\n    checkClaims(claims, { issuer, audience, profile, expected, now: cameAt });',
        to: '    checkClaims(claims, { issuer, audience, profile, expected, now: cameAt });\n    await checkSignature(token, await this.#keys.find(kid, now, cameAt));',
      },
    ],
    test: {
      file: 'service/test/threats/refused-tokens.test.ts',
      name: 'threat 111: told faults as a channel of strangers > forged callbacks, however many, are one summary row a minute for each check, without their values',
    },
  },
];
