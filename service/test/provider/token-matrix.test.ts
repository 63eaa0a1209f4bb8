import { describe, expect, it } from 'vitest';
import type { ReceivedPush } from '../../src/provider/push.ts';
import { share } from '../support/at-end.ts';
import { json, openAreaB, route } from '../support/provider/area-b.ts';
import {
  NATIONAL_ID,
  openProvider,
  refusalOf,
  REQUEST_ID,
  TRANSACTION_ID,
} from '../support/provider/provider-under-test.ts';
import { NONCE, STATE } from '../support/provider/session-answer.ts';
import { CREATED_AT, Forge } from '../support/provider/token-forge.ts';
import type { TokenCase } from '../support/provider/matrix/table.ts';
import { NEGATIVES, POSITIVES } from '../support/provider/token-matrix.ts';

const LEAST_NEGATIVES = 120;
const REFUSALS = ['provider.bad_response', 'provider.mismatch', 'push.unverified'];
const PERSON = { issuer: 'https://provider.example.test', nationalId: NATIONAL_ID };

it('has at least 120 negatives, each with a name of its own', () => {
  expect(NEGATIVES.length).toBeGreaterThanOrEqual(LEAST_NEGATIVES);
  expect(new Set(NEGATIVES.map(({ name }) => name)).size).toBe(NEGATIVES.length);
});

describe.each([2048, 3072, 4096])('tokens of a provider with RSA keys of %i bits', (bits) => {
  const forge = new Forge(bits);
  const presenter = share(async (atEnd) => {
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
    return async ({ kind, make }: TokenCase): Promise<unknown> => {
      token = make(forge);
      if (kind === 'redirect') {
        return provider.exchange(STATE, { ...attempt, nonce: NONCE, userAddress: null });
      }
      const message: ReceivedPush = { ...push, token };
      return provider.verifyPush(message, { ...attempt, ...push, nationalId: NATIONAL_ID }, null);
    };
  });
  const present = (one: TokenCase) => presenter()(one);

  it.each(POSITIVES)('accepted: $name', async (one) => {
    await expect(present(one)).resolves.toMatchObject({ result: 'approved', person: PERSON });
  });

  it.each(NEGATIVES)('refused: $name', async (one) => {
    const refusal = await refusalOf(present(one));
    expect(REFUSALS).toContain(refusal.code);
    expect(`${refusal.code} ${String(refusal.cause)}`).toContain(one.reason);
  });
});
