import { describe, expect, it } from 'vitest';
import { UNKNOWN_IDS } from '../../src/values/limits.ts';
import {
  AMAL,
  bearer,
  dataOf,
  FAISAL,
  issuedOf,
  redeem,
  startedOf,
  statusOf,
  type Headers,
  type Started,
} from '../support/service/login.ts';
import { callsOf, inScope as of } from '../support/service/in-scopes.ts';
import { sendRaw } from '../support/service/raw-request.ts';
import { BASE, openTestService, shareService } from '../support/service/test-service.ts';

/** Two scopes of one service know nothing of each other. */

const shared = shareService({ PUBLIC_URL: 'http://localhost:3000' });
const { phone, control, idsOf, newcomer, approve } = callsOf(shared);
describe('the prompts of a scope', () => {
  it('are listed, awaited and decided in it alone', async () => {
    const started = startedOf(await phone(of('prompts-a')));
    const id = started.attempt_id;
    expect(await idsOf('/prompts', of('prompts-a'))).toEqual([id]);
    for (const headers of [{}, of('prompts-b'), of('default')]) {
      expect(await idsOf('/prompts', headers)).not.toContain(id);
      expect(await idsOf(`/prompts?request_id=${id}`, headers)).toEqual([]);
      expect(await approve(started, headers)).toMatchObject({
        status: 404,
        body: { code: 'prompt.not_found' },
      });
      const prompt = await control('GET', `/wait?until=prompt&attempt_id=${id}&timeout=0`, headers);
      expect(prompt.body.data).toMatchObject({ reached: false });
      const state = await control(
        'GET',
        `/wait?until=rejected&attempt_id=${id}&timeout=0`,
        headers,
      );
      expect([state.status, state.body.code]).toEqual([404, 'attempt.not_found']);
    }
    expect(await approve(started, of('prompts-a'))).toMatchObject({ status: 200 });
    expect(await statusOf(shared(), started)).toBe('authenticated');
  });
});

async function signsIn(headers: Headers): Promise<unknown> {
  const started = startedOf(await phone(headers, '1000012201'));
  return (await approve(started, headers)).body.data;
}

async function signInPage(headers: Headers): Promise<string> {
  const started = startedOf(await shared().post('/start', { locale: 'en' }, headers));
  return (await shared().get(`/callback?state=${started.attempt_id}`)).payload;
}

describe('the people of a scope', () => {
  it('sign in there only, by phone and on the page', async () => {
    const payload = await newcomer('noor', '1000012201');
    await control('PUT', '/people/noor', of('people-a'), { payload });
    const [mine, other] = [of('people-a'), of('people-b')];
    expect(await signsIn(mine)).toMatchObject({ person: 'noor' });
    expect(await signsIn(other)).toMatchObject({ person: 'amal' });
    expect(await signInPage(mine)).toContain('person-noor');
    expect(await signInPage(other)).not.toContain('person-noor');
  });

  it('who are removed are unknown to the provider, and what waits for them is theirs', async () => {
    const headers = of('people-c');
    const [first, second] = [await phone(headers, FAISAL), await phone(headers, FAISAL)].map(
      startedOf,
    );
    await control('DELETE', '/people/faisal', headers);
    const refused = await phone(headers, FAISAL);
    expect([refused.statusCode, refused.json<{ code: string }>().code]).toEqual([
      422,
      'provider.record_not_found',
    ]);
    if (first === undefined || second === undefined) throw new Error('not started');
    expect((await approve(first, headers)).body.data).toMatchObject({ person: 'faisal' });
    const { user } = issuedOf(await redeem(shared(), first));
    expect(user).toMatchObject({ national_id: FAISAL });
    const done = await shared().post('/complete-mfa', { attempt_id: second.attempt_id });
    expect(done.statusCode).toBe(200);
    expect(issuedOf(await redeem(shared(), second)).user.id).toBe(user.id);
  });

  it('who are changed while they sign in, or have a token, stay who they are', async () => {
    const headers = of('people-d');
    const started = startedOf(await phone(headers, FAISAL));
    const payload = await newcomer('faisal', '1000013301');
    await control('PUT', '/people/faisal', headers, { payload });
    expect((await approve(started, headers)).body.data).toMatchObject({ person: 'faisal' });
    const { token, user } = issuedOf(await redeem(shared(), started));
    expect(user).toMatchObject({ national_id: FAISAL });
    await control('DELETE', '/people/faisal', headers);
    const again = await shared().get('/user', bearer(token));
    expect(dataOf(again)).toMatchObject({ id: user.id, national_id: FAISAL });
  });
});

describe('the users of a scope', () => {
  it('are others than the same people of another one, and so are their devices', async () => {
    const users = [];
    for (const headers of [{}, of('users-a'), of('users-b'), of('users-a')]) {
      const started = startedOf(await phone(headers));
      await shared().post('/complete-mfa', { attempt_id: started.attempt_id });
      const { token, user } = issuedOf(await redeem(shared(), started));
      const devices = (await shared().get('/tokens', bearer(token))).json<{ data: object[] }>();
      users.push([user.id, devices.data.length]);
    }
    const [none, first, other, second] = users;
    expect(new Set([none, first, other].map((user) => user?.[0])).size).toBe(3);
    expect(second).toEqual([first?.[0], 2]);
    expect(other?.[1]).toBe(1);
  });
});

describe('a reset', () => {
  it('has nothing wait in the scope, and its attempts expire', async () => {
    const [mine, other] = [of('reset-a'), of('reset-b')];
    const attempts = [await phone(mine), await phone(other)].map(startedOf);
    const reset = await control('POST', '/reset', mine);
    expect(reset.body.data).toEqual({ scope: 'reset-a', prompts: 1 });
    expect(await idsOf('/prompts', mine)).toEqual([]);
    expect(await idsOf('/prompts', other)).toHaveLength(1);
    for (const started of attempts) expect(await statusOf(shared(), started)).toBe('pending');
    expect((await control('POST', '/reset', mine)).body.data).toMatchObject({ prompts: 0 });
  });
});

describe('a reset of a scope in which more wait than are listed', () => {
  it('reaches the oldest too', async () => {
    const service = await openTestService({ settings: { RATE_LIMITS: 'off' } });
    const { phone: ask, control: call } = callsOf(() => service);
    const headers = of('crowded');
    const planned = { ...headers, 'x-simulate': 'approves_at_once;after=60' };
    const oldest = startedOf(await ask(planned));
    service.clock.advance(1);
    const payload = { national_id: AMAL, locale: 'en' };
    const sent = { method: 'POST', url: `${BASE}/start`, payload } as const;
    for (let one = 0; one < 1000; one += 1) {
      await service.app.inject({ ...sent, headers });
    }
    const reset = await call('POST', '/reset', headers);
    expect(reset.body.data).toMatchObject({ prompts: 1001 });
    service.clock.advance(61_000);
    expect(await statusOf(service, oldest)).toBe('pending');
  });
});

const start = (url: string, headers: Headers = {}) =>
  shared().app.inject({
    method: 'POST',
    url,
    headers,
    payload: { national_id: AMAL, locale: 'en' },
  });

/** GET /user, with an origin in the target. */
function askRaw(origin: string, base: string) {
  const head = `GET ${origin}${base}/user HTTP/1.1`;
  return sendRaw(shared(), `${head}\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
}

describe('the base address of a scope', () => {
  it('is that of an application which can’t send the header', async () => {
    const base = `/scopes/address-a${BASE}`;
    const answer = await start(`${base}/start`);
    const { data } = answer.json<{ data: Started }>();
    expect(await idsOf('/prompts', of('address-a'))).toEqual([data.attempt_id]);
    const headers = { 'x-provider-attempt-token': data.attempt_token };
    for (const path of [base, BASE]) {
      const status = await shared().app.inject({
        url: `${path}/status/${data.attempt_id}`,
        headers,
      });
      expect(status.json()).toMatchObject({ data: { status: 'pending' } });
    }
    const redirect = await shared().app.inject({
      method: 'POST',
      url: `${base}/start`,
      payload: { locale: 'en' },
    });
    const address = redirect.json<{ data: Started }>().data.authorization_url ?? '';
    const { pathname, search } = new URL(address);
    expect((await shared().app.inject(pathname + search)).statusCode).toBe(200);
  });

  it('can be a target in absolute form, as sent to proxies', async () => {
    for (const origin of ['', 'http://localhost:3000', 'HTTP://127.0.0.1:1']) {
      expect((await askRaw(origin, BASE)).status).toBe(401);
      expect((await askRaw(origin, `/scopes/address-d${BASE}`)).status).toBe(401);
      expect((await askRaw(origin, `/scopes/A${BASE}`)).status).toBe(422);
    }
    expect((await askRaw('http://evil.example', `/scopes/address-d${BASE}`)).status).toBe(421);
  });

  it('can have the header of the same scope beside it, and of no other one', async () => {
    const url = `/scopes/address-b${BASE}/start`;
    expect((await start(url, of('address-b'))).statusCode).toBe(200);
    for (const other of ['address-c', 'default', '', 'A']) {
      const refused = await start(url, of(other));
      expect([refused.statusCode, refused.json()]).toMatchObject([
        422,
        { code: 'validation.failed', violations: [{ code: 'format' }] },
      ]);
      expect(refused.payload).toContain('another scope than the address');
    }
  });

  it.each(['', 'A', 'a_b', 'a%2db', 'x'.repeat(65)])(
    'is refused with what is allowed where its name is none: %j',
    async (name) => {
      const refused = await start(`/scopes/${name}${BASE}/start`);
      expect([refused.statusCode, refused.json()]).toMatchObject([
        422,
        { code: 'validation.failed' },
      ]);
      expect(refused.payload).toContain('The address scope format is invalid: use 1 to 64');
    },
  );

  it.each([
    '/scopes',
    '/scopes/a',
    '/scopes/a/livez',
    '/scopes/a/simulator/people',
    '/scopes/a/b/api/v1/start',
    '/scopes/a/api/v1x/start',
    '/scopes/a/api/v1/nothing',
  ])('leads to the attempt API only: %s', async (url) => {
    expect((await start(url)).json()).toMatchObject({ status: 404, code: 'route.not_found' });
  });
});

describe('the limits of a scope', () => {
  it('are its own, by the header and by the address', async () => {
    const service = await openTestService();
    const calls = callsOf(() => service);
    for (let one = 0; one < 20; one += 1) expect((await calls.phone(of('a'))).statusCode).toBe(200);
    expect((await calls.phone(of('a'))).statusCode).toBe(429);
    const byAddress = await service.app.inject({
      method: 'POST',
      url: `/scopes/a${BASE}/start`,
      payload: { locale: 'en' },
    });
    expect(byAddress.statusCode).toBe(429);
    for (const headers of [{}, of('b')]) expect((await calls.phone(headers)).statusCode).toBe(200);
  });

  it('of prompts are its own too, and a sign-in in another scope gives none back', async () => {
    const service = await openTestService({ settings: { RATE_LIMITS: 'off', BUDGETS: 'on' } });
    const calls = callsOf(() => service);
    const ask = (scope: string) => calls.phone(of(scope), FAISAL);
    expect((await ask('a')).statusCode).toBe(200);
    const other = startedOf(await ask('b'));
    expect((await ask('b')).statusCode).toBe(429);
    await calls.approve(other, of('b'));
    expect((await ask('b')).statusCode).toBe(200);
    expect((await ask('a')).statusCode).toBe(429);
  });

  it('of unknown numbers are its own too', async () => {
    const service = await openTestService({ settings: { RATE_LIMITS: 'off', BUDGETS: 'on' } });
    const calls = callsOf(() => service);
    const ask = async (scope: string, number: number) => {
      const headers = { ...of(scope), 'x-simulate': 'unknown_record' };
      return (await calls.phone(headers, String(1_000_030_000 + number))).statusCode;
    };
    for (let one = 0; one < UNKNOWN_IDS.quota; one += 1) expect(await ask('a', one)).toBe(422);
    expect([await ask('a', 99), await ask('b', 99)]).toEqual([429, 422]);
  });
});
