/** The exchange, the token check and the keys, as a relying party uses them. */
import {
  decodeJwt,
  decodeProtectedHeader,
  importJWK,
  SignJWT,
  UnsecuredJWT,
  type JSONWebKeySet,
} from 'jose';
import { describe, expect, it } from 'vitest';
import { makeSigningKey } from '../src/keys/signing-key.ts';
import {
  decisionCall,
  exchangeCall,
  KEYS_PATH,
  makeApp,
  pushCall,
  sessionCall,
  validCall,
  type AppBench,
} from './support/apps.ts';
import { AMAL } from './support/engines.ts';
import { verified } from './support/relying-party.ts';

const AUDIENCE = 'https://relying-party.example.test';
const RECORD = { status: '401', timestamp: null, code: '401-033-024' };

/** Opens a session. @returns its answer and the parameters of its address */
async function opened(options: Parameters<typeof makeApp>[0] = {}, locale = 'en') {
  const bench = makeApp(options);
  const { url } = (await bench.app.inject(sessionCall({ locale }))).json<{ url: string }>();
  const [prompt] = bench.engine.prompts();
  if (prompt === undefined) throw new Error('no prompt');
  const parameters = new URL(url).searchParams;
  const state = parameters.get('state') ?? '';
  return { ...bench, promptId: prompt.id, state, nonce: parameters.get('nonce') };
}

async function approved(person = 'amal', locale = 'en') {
  const bench = await opened({}, locale);
  await bench.app.inject(decisionCall(bench.promptId, { decision: 'approve', person }));
  return bench;
}

async function tokenOf({ app }: AppBench, state: string): Promise<string> {
  return (await app.inject(exchangeCall({ state }))).json<{ token: string }>().token;
}

async function accepted({ app, clock }: AppBench, token: string) {
  const keys = (await app.inject(KEYS_PATH)).json<JSONWebKeySet>();
  return verified(keys, token, { audience: AUDIENCE, now: clock.now() });
}

async function isValid({ app }: AppBench, token: string): Promise<string> {
  return (await app.inject(validCall({ id_token: token }))).body;
}

describe('POST /stg/api/v2/oidc/jwt', () => {
  it('gives the state back, and a token that holds', async () => {
    const bench = await approved();
    const answer = await bench.app.inject(exchangeCall({ state: bench.state }));
    expect(answer.statusCode).toBe(200);
    expect(Object.keys(answer.json<object>())).toEqual(['state', 'token']);
    expect(answer.json()).toMatchObject({ state: bench.state });
    const claims = await accepted(bench, answer.json<{ token: string }>().token);
    expect(claims).toMatchObject({ nonce: bench.nonce, nin: AMAL, sub: AMAL, lang: 'en' });
    expect([claims.exp, claims.nbf]).toEqual([(claims.iat ?? 0) + 150, (claims.iat ?? 0) - 150]);
  });

  it('speaks the language of the session', async () => {
    const bench = await approved('amal', 'ar');
    const token = await tokenOf(bench, bench.state);
    expect(decodeJwt(token)).toMatchObject({ lang: 'ar', gender: 'Female' });
  });

  it('is 401 before the approval, and not lost by it', async () => {
    const bench = await opened();
    const early = await bench.app.inject(exchangeCall({ state: bench.state }));
    expect([early.statusCode, early.json()]).toMatchObject([401, RECORD]);
    await bench.app.inject(decisionCall(bench.promptId, { decision: 'approve' }));
    expect((await bench.app.inject(exchangeCall({ state: bench.state }))).statusCode).toBe(200);
  });

  it('works once', async () => {
    const bench = await approved();
    const calls = [1, 2, 3].map(() => bench.app.inject(exchangeCall({ state: bench.state })));
    const statuses = (await Promise.all(calls)).map(({ statusCode }) => statusCode);
    expect(statuses.toSorted((one, other) => one - other)).toEqual([200, 401, 401]);
  });

  it.each(['refuse', 'not_me', 'ignore'])('is 401 for ever after %s', async (decision) => {
    const bench = await opened();
    await bench.app.inject(decisionCall(bench.promptId, { decision }));
    const answer = await bench.app.inject(exchangeCall({ state: bench.state }));
    expect([answer.statusCode, answer.json()]).toMatchObject([401, RECORD]);
  });

  it('is 401 for a state that nobody has, and for one that has waited too long', async () => {
    const bench = await approved();
    const unknown = bench.state.replace(/^./, (first) => (first === 'A' ? 'B' : 'A'));
    expect((await bench.app.inject(exchangeCall({ state: unknown }))).statusCode).toBe(401);
    bench.clock.advance(150_000);
    expect((await bench.app.inject(exchangeCall({ state: bench.state }))).statusCode).toBe(401);
  });

  it('still works a moment before that', async () => {
    const bench = await approved();
    bench.clock.advance(149_999);
    expect((await bench.app.inject(exchangeCall({ state: bench.state }))).statusCode).toBe(200);
  });

  it.each([{}, { state: '' }, { state: 1 }, { state: null }, { state: 'x'.repeat(1025) }, []])(
    'answers 422-031-046 to %o',
    async (body) => {
      const answer = await makeApp().app.inject(exchangeCall(body));
      expect(answer.json()).toMatchObject({ status: '422', code: '422-031-046' });
    },
  );

  it('stands behind the gateway with the rest', async () => {
    const { app } = makeApp({ credentials: { appId: 'a', appKey: 'b' } });
    for (const call of [exchangeCall({}), validCall({}), { url: KEYS_PATH }]) {
      expect((await app.inject(call)).body).toBe('Authentication failed');
    }
  });
});

describe('a token of an outcome', () => {
  it.each([
    ['outcome-50', /no applicable key/],
    ['outcome-51', /unexpected "aud"/],
    ['outcome-52', /"exp"/],
    ['outcome-54', /alg|JWS|key/i],
  ])('of %s is refused by whoever checks it', async (person, reason) => {
    const bench = await approved(person);
    const token = await tokenOf(bench, bench.state);
    await expect(accepted(bench, token)).rejects.toThrow(reason);
  });

  it('of outcome-53 names somebody else', async () => {
    const bench = await approved('outcome-53');
    const claims = await accepted(bench, await tokenOf(bench, bench.state));
    expect(claims['nin']).toBe(AMAL);
  });

  it('of outcome-54 says so, and has no signature', async () => {
    const bench = await approved('outcome-54');
    const token = await tokenOf(bench, bench.state);
    expect(decodeProtectedHeader(token)).toEqual({ alg: 'none' });
    expect(token).toMatch(/\.$/);
  });

  it('of outcome-60 holds, and has the lower level', async () => {
    const bench = await approved('outcome-60');
    const claims = await accepted(bench, await tokenOf(bench, bench.state));
    expect(claims['assurance_level']).toBe('1');
  });
});

describe('POST /stg/api/v2/oidc/jwt/valid', () => {
  it('answers true, in JSON and bare, while the token is good, and then false', async () => {
    const bench = await approved();
    const token = await tokenOf(bench, bench.state);
    const answer = await bench.app.inject(validCall({ id_token: token }));
    expect([answer.statusCode, answer.body]).toEqual([200, 'true']);
    expect(answer.headers['content-type']).toContain('application/json');
    bench.clock.advance(151_000);
    expect(await isValid(bench, token)).toBe('false');
  });

  it.each(['outcome-50', 'outcome-52', 'outcome-54'])('answers false for %s', async (person) => {
    const bench = await approved(person);
    expect(await isValid(bench, await tokenOf(bench, bench.state))).toBe('false');
  });

  it('answers false to what is no token, and to tokens of others', async () => {
    const bench = makeApp();
    const stranger = await importJWK({ ...(await makeSigningKey()) }, 'RS256');
    const [key] = (await bench.app.inject(KEYS_PATH)).json<{ keys: Array<{ kid: string }> }>().keys;
    const header = { alg: 'RS256', kid: key?.kid ?? '' };
    const forged = await new SignJWT({ sub: AMAL }).setProtectedHeader(header).sign(stranger);
    for (const token of ['x', 'a.b.c', new UnsecuredJWT({ sub: AMAL }).encode(), forged]) {
      expect(await isValid(bench, token)).toBe('false');
    }
  });

  it.each([{}, { id_token: 1 }, { id_token: '' }])('answers 422 to %o', async (body) => {
    expect((await makeApp().app.inject(validCall(body))).statusCode).toBe(422);
  });
});

describe('the keys', () => {
  it('are one set, and nobody but the provider can sign with them', async () => {
    const { keys } = (await makeApp().app.inject(KEYS_PATH)).json<{ keys: object[] }>();
    expect(keys).toHaveLength(1);
    expect(Object.keys(keys[0] ?? {})).toEqual(['kty', 'e', 'use', 'kid', 'alg', 'n']);
  });

  it('can be announced, rotated and dropped over the control API', async () => {
    const bench = await approved();
    const early = await tokenOf(bench, bench.state);
    const post = async (action: string, payload: object) => {
      const call = { method: 'POST', url: `/simulator/keys/${action}`, payload } as const;
      return (await bench.app.inject(call)).json<{ data: Array<{ kid: string; role: string }> }>();
    };
    const announced = await post('announce', {});
    expect(announced.data.map(({ role }) => role)).toEqual(['signing', 'announced']);
    const rotated = await post('rotate', {});
    expect(rotated.data.map(({ role }) => role)).toEqual(['signing', 'retired']);
    expect(rotated.data[0]?.kid).toBe(announced.data[1]?.kid);
    expect(await isValid(bench, early)).toBe('true');
    expect(await post('rotate', { old: 'drop' })).toMatchObject({ data: [{ role: 'signing' }] });
    expect(await isValid(bench, early)).toBe('false');
    const listed = (await bench.app.inject('/simulator/keys')).json<{ data: object[] }>();
    expect(listed.data).toHaveLength(1);
  });

  it('are left alone by a call that is not what it takes', async () => {
    const { app } = makeApp();
    for (const [action, payload] of [
      ['rotate', { old: 'burn' }],
      ['rotate', { now: true }],
      ['announce', { kid: 'mine' }],
    ] as const) {
      const url = `/simulator/keys/${action}`;
      expect((await app.inject({ method: 'POST', url, payload })).statusCode).toBe(422);
    }
    const { data } = (await app.inject('/simulator/keys')).json<{ data: object[] }>();
    expect(data).toMatchObject([{ role: 'signing', until: null }]);
  });
});

describe('one provider', () => {
  it('signs both flows with the same key', async () => {
    const bench = await approved();
    await bench.app.inject(pushCall({ nationalId: AMAL, service: 'Login' }));
    const { kid } = decodeProtectedHeader(await tokenOf(bench, bench.state));
    const { keys } = (await bench.app.inject(KEYS_PATH)).json<{ keys: Array<{ kid: string }> }>();
    expect(keys.map((key) => key.kid)).toEqual([kid]);
  });
});
