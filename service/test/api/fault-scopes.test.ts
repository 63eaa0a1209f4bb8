import { describe, expect, it } from 'vitest';
import { until } from '../support/programs/until.ts';
import { AMAL, complete, startedOf, statusOf, type Headers } from '../support/service/login.ts';
import { KEY, STRICT } from '../support/service/strict-login.ts';
import { shareService, type TestService } from '../support/service/test-service.ts';

/** The faults of one scope, and the attempts of another. */

const MODES = [
  ['plain', shareService()],
  ['strict', shareService(STRICT)],
] as const;

const SCOPE = { 'x-miftah-scope': 'team-a' };

async function setAll({ app }: TestService, headers: Headers, status: number | null) {
  const faults = status === null ? [] : [{ operation: 'any', status }];
  const url = '/simulator/faults';
  const answer = await app.inject({ method: 'PUT', url, payload: { faults }, headers });
  expect(answer.statusCode, answer.payload).toBe(200);
}

const start = (service: TestService, body: object, headers: Headers) =>
  service.post('/start', { locale: 'en', ...body }, { ...KEY, ...headers });

describe.each(MODES)('in %s mode', (name, shared) => {
  it.each([{}, { national_id: AMAL }])('a start meets those of its own scope: %o', async (body) => {
    await setAll(shared(), SCOPE, 403);
    expect((await start(shared(), body, SCOPE)).statusCode).toBe(502);
    expect((await start(shared(), body, {})).statusCode).toBe(200);
    expect((await start(shared(), body, { 'x-miftah-scope': 'b' })).statusCode).toBe(200);
    await setAll(shared(), SCOPE, null);
    expect((await start(shared(), body, SCOPE)).statusCode).toBe(200);
  });

  it('a status, which carries no scope, meets those of its attempt', async () => {
    const service = shared();
    const started = startedOf(await start(service, { national_id: AMAL }, SCOPE));
    await setAll(service, SCOPE, 500);
    expect(await statusOf(service, started)).toBe('pending');
    const url = '/simulator/faults';
    const { payload } = await service.app.inject({ url, headers: SCOPE });
    expect(JSON.parse(payload)).toMatchObject({ data: [{ seen: 1, hits: 1 }] });
    const others = await service.app.inject(url);
    expect(others.json()).toEqual({ data: [] });
    await setAll(service, SCOPE, null);
  });

  it('a reset of the scope ends them', async () => {
    const service = shared();
    await setAll(service, SCOPE, 500);
    await service.app.inject({ method: 'POST', url: '/simulator/reset', headers: SCOPE });
    startedOf(await start(service, { national_id: '1900000001' }, SCOPE));
  });

  it('an exchange meets those of its attempt', async () => {
    const service = shared();
    if (name === 'strict') return expectStrictExchange(service);
    const started = startedOf(await start(service, {}, SCOPE));
    await setAll(service, SCOPE, 503);
    expect((await complete(service, started)).statusCode).toBe(503);
    await setAll(service, SCOPE, null);
    expect((await complete(service, started)).statusCode).toBe(200);
  });
});

/** By area B itself: the state names the attempt, and with it the scope. */
async function expectStrictExchange(service: TestService): Promise<void> {
  const url = '/stg/api/v2/oidc/session?locale=en&requestId=one';
  const session = await service.app.inject({ url, headers: SCOPE });
  const state = new URL(session.json<{ url: string }>().url).searchParams.get('state');
  await setAll(service, SCOPE, 503);
  const exchange = () =>
    service.app.inject({ method: 'POST', url: '/stg/api/v2/oidc/jwt', payload: { state } });
  expect((await exchange()).statusCode).toBe(503);
  await setAll(service, SCOPE, null);
  expect((await exchange()).statusCode).toBe(401);
}

it('a push of another scope is approved while all of one scope fails', async () => {
  const [, shared] = MODES[0];
  await setAll(shared(), {}, 503);
  const started = startedOf(await start(shared(), { national_id: '1900000001' }, SCOPE));
  await until(async () => (await statusOf(shared(), started)) === 'authenticated');
  await setAll(shared(), {}, null);
});
