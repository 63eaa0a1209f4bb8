import { decodeProtectedHeader } from 'jose';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { systemClock } from '../../src/platform/runtime.ts';
import { raw, openAreaB, json, route } from '../support/provider/area-b.ts';
import {
  clientFor,
  CLIENT,
  runIndependentProvider,
  type Algorithm,
} from '../support/provider/independent-provider.ts';
import {
  inBoth,
  NATIONAL_ID,
  openProvider,
  refusalOf,
  REQUEST_ID,
} from '../support/provider/provider-under-test.ts';
import { NONCE } from '../support/provider/session-answer.ts';
import { encode } from '../support/provider/token-forge.ts';

const STATE = 'a-state-of-this-test';
const KEYS_TYPE = { 'content-type': 'application/jwk-set+json; charset=utf-8' };

/** The library warns that its defaults are not for production; this is a test. */
beforeEach(() => {
  for (const level of ['info', 'warn'] as const) vi.spyOn(console, level).mockReturnValue();
});

/** Our driver, with the keys and tokens of an independent OpenID provider. */
async function openIndependent() {
  const independent = await runIndependentProvider();
  let token = '';
  const areaB = await openAreaB((call, response) =>
    route({
      '/api/v1/mfa/jwk': raw(independent.jwks, 200, KEYS_TYPE),
      '/api/v2/oidc/jwt': json({ state: STATE, token }),
    })(call, response),
  );
  const changes = { issuers: inBoth(independent.issuer), audience: CLIENT };
  const { provider } = openProvider(areaB.url, changes, { clock: systemClock });
  const createdAt = systemClock.now();
  const present = async (given: string, nonce = NONCE) => {
    token = given;
    return provider.exchange(STATE, { requestId: REQUEST_ID, nonce, createdAt, userAddress: null });
  };
  const signIn = async (algorithm: Algorithm = 'RS256') =>
    independent.signIn(clientFor(algorithm), NONCE);
  return { present, signIn };
}

describe('tokens of a provider that knows nothing of us', () => {
  it('are accepted', async () => {
    const { present, signIn } = await openIndependent();
    await expect(present(await signIn())).resolves.toMatchObject({
      result: 'approved',
      person: { documentType: 'nin', documentNumber: NATIONAL_ID, gender: 'M', nationality: 'SA' },
    });
  });

  it.each(['PS256', 'RS512', 'ES256', 'HS256'] as const)(
    'are refused when they are signed by %s, however rightly',
    async (algorithm) => {
      const { present, signIn } = await openIndependent();
      const token = await signIn(algorithm);
      expect(decodeProtectedHeader(token).alg).toBe(algorithm);
      const refusal = await refusalOf(present(token));
      expect(String(refusal.cause)).toContain('token refused: alg');
    },
  );

  it('are refused for another attempt', async () => {
    const { present, signIn } = await openIndependent();
    const refusal = await refusalOf(present(await signIn(), 'another-nonce'));
    expect(String(refusal.cause)).toContain('nonce');
  });

  it('are refused when any of their parts was changed', async () => {
    const { present, signIn } = await openIndependent();
    const token = await signIn();
    const [header = '', claims = '', signature = ''] = token.split('.');
    const text = Buffer.from(claims, 'base64url').toString();
    const bytes = Buffer.from(signature, 'base64url');
    bytes[0] = (bytes[0] ?? 0) ^ 1;
    const unsigned = encode(JSON.stringify({ ...decodeProtectedHeader(token), alg: 'none' }));
    const altered = [
      `${header}.${encode(text.replaceAll(NATIONAL_ID, '1000003301'))}.${signature}`,
      `${header}.${encode(text.replace('"Male"', '"Female"'))}.${signature}`,
      `${header}.${claims}.${encode(bytes)}`,
      `${unsigned}.${claims}.${signature}`,
      `${header}.${claims}`,
    ];
    for (const one of altered) {
      expect((await refusalOf(present(one))).code).toBe('provider.bad_response');
    }
    await expect(present(token)).resolves.toHaveProperty('result', 'approved');
  });

  it('are refused when they come from another provider of the same kind', async () => {
    const one = await openIndependent();
    const other = await openIndependent();
    const refusal = await refusalOf(one.present(await other.signIn()));
    expect(String(refusal.cause)).toMatch(/kid unknown|signature/);
  });
});
