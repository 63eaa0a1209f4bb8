import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ReceivedPush } from '../../src/provider/push.ts';
import { json, openAreaB, route, type AtEnd } from './support/area-b.ts';
import {
  NATIONAL_ID,
  openProvider,
  refusalOf,
  REQUEST_ID,
  TRANSACTION_ID,
} from './support/provider-under-test.ts';
import { NONCE, STATE } from './support/session-answer.ts';
import { CREATED_AT, Forge } from './support/token-forge.ts';
import type { TokenCase } from './support/matrix/table.ts';
import { NEGATIVES, POSITIVES } from './support/token-matrix.ts';

const LEAST_NEGATIVES = 120;
const REFUSALS = ['provider.bad_response', 'provider.mismatch', 'push.unverified'];
const PERSON = { issuer: 'https://provider.example.test', nationalId: NATIONAL_ID };

it('has at least 120 negatives, each with a name of its own', () => {
  expect(NEGATIVES.length).toBeGreaterThanOrEqual(LEAST_NEGATIVES);
  expect(new Set(NEGATIVES.map(({ name }) => name)).size).toBe(NEGATIVES.length);
});

describe.each([2048, 3072, 4096])('tokens of a provider with RSA keys of %i bits', (bits) => {
  const forge = new Forge(bits);
  const endings: Parameters<AtEnd>[0][] = [];
  const atEnd: AtEnd = (work) => void endings.push(work);
  let present: (one: TokenCase) => Promise<unknown>;

  beforeAll(async () => {
    let token = '';
    const areaB = await openAreaB((call, response) => {
      const scripts = {
        '/api/v1/mfa/jwk': json(forge.set),
        '/api/v2/oidc/jwt': json({ state: STATE, token }),
      };
      route(scripts)(call, response);
    }, atEnd);
    const { provider } = openProvider(areaB.url, {}, {}, atEnd);
    const attempt = { requestId: REQUEST_ID, createdAt: CREATED_AT };
    const push = { transactionId: TRANSACTION_ID, requestId: REQUEST_ID };
    present = async ({ kind, make }) => {
      token = make(forge);
      if (kind === 'redirect') {
        return provider.exchange(STATE, { ...attempt, nonce: NONCE, userAddress: null });
      }
      const message: ReceivedPush = { ...push, token };
      return provider.verifyPush(message, { ...attempt, ...push, nationalId: NATIONAL_ID });
    };
  });
  afterAll(async () => {
    for (const end of endings.toReversed()) await end();
  });

  it.each(POSITIVES)('accepted: $name', async (one) => {
    await expect(present(one)).resolves.toMatchObject({ result: 'approved', person: PERSON });
  });

  it.each(NEGATIVES)('refused: $name', async (one) => {
    const refusal = await refusalOf(present(one));
    expect(REFUSALS).toContain(refusal.code);
    expect(`${refusal.code} ${String(refusal.cause)}`).toContain(one.reason);
  });
});
