import type { InjectOptions } from 'fastify';
import { describe, expect, it } from 'vitest';
import { nationalIdsIn } from '../../scripts/national-ids.ts';
import { outcomeId } from '../src/engine/people/national-id.ts';
import { OUTCOMES } from '../src/engine/outcomes/outcomes.ts';
import { SERVICES_IN_USE, usualService, type Service } from '../src/engine/services.ts';
import {
  makeApp,
  PUSH_PATH,
  pushCall,
  sessionCall,
  SESSION_PATH,
  statusCall,
  type AppBench,
} from './support/apps.ts';
import { AMAL, FAISAL, ORIGIN, REQUEST_ID, STRANGER } from './support/engines.ts';
import { START } from './support/fakes.ts';

const LOGIN = { nationalId: AMAL, service: 'Login' };
/** The service sends a UUID; other integrations use the other forms. */
const REQUEST_IDS = [
  REQUEST_ID,
  REQUEST_ID.toUpperCase(),
  '1',
  '18f6a3b09c2d1',
  `${REQUEST_ID}-1769850300`,
  'shop_login #7/ü طلب',
  'x'.repeat(128),
];
const JSON_TYPE = 'application/json; charset=utf-8';

interface Accepted {
  readonly transId: string;
  readonly random: string;
}

async function expectRecord({ app }: AppBench, call: InjectOptions, code: string) {
  const answer = await app.inject(call);
  const status = code.slice(0, 3);
  expect(answer.statusCode).toBe(Number(status));
  expect(answer.headers['content-type']).toBe(JSON_TYPE);
  expect(answer.json()).toEqual({
    status,
    timestamp: null,
    message: expect.any(String) as string,
    code,
    reference: expect.any(Number) as number,
  });
  return answer.json<{ message: string; reference: number }>();
}

async function asked(nationalId = AMAL) {
  const bench = makeApp();
  const answer = await bench.app.inject(pushCall({ ...LOGIN, nationalId }));
  return { ...bench, bench, known: { nationalId, ...answer.json<Accepted>() } };
}

describe('GET /stg/api/v2/oidc/session', () => {
  it.each(['ar', 'en'])(
    'answers id, url, hashedState and requestId for locale %s',
    async (locale) => {
      const answer = await makeApp().app.inject(sessionCall({ locale }));
      expect(answer.statusCode).toBe(200);
      expect(answer.headers['content-type']).toBe(JSON_TYPE);
      const body = answer.json<Record<string, string>>();
      expect(Object.keys(body)).toEqual(['id', 'url', 'hashedState', 'requestId']);
      expect(body).toMatchObject({ id: null, requestId: REQUEST_ID });
      expect(body['hashedState']).toMatch(/^[A-Za-z0-9+/]{43}=$/);
      const parameters = new URL(body['url'] ?? '').searchParams;
      expect(parameters.get('ui_locales')).toBe(locale);
      expect(parameters.get('max_age')).toBe(String(Math.floor(START / 1000)));
    },
  );

  it('points at the authorization page and names the provider’s own callback', async () => {
    const answer = await makeApp().app.inject(sessionCall());
    const url = new URL(answer.json<{ url: string }>().url);
    expect(`${url.origin}${url.pathname}`).toBe(`${ORIGIN}/authservice/authorize`);
    expect(url.searchParams.get('redirect_uri')).toBe(`${ORIGIN}/api/v2/oidc/callback`);
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      scope: 'openid',
      response_type: 'id_token',
      response_mode: 'form_post',
      client_id: 'https://relying-party.example.test',
      aud: 'https://relying-party.example.test',
      prompt: 'login',
    });
  });

  it('has a nonce and a state that differ on each call', async () => {
    const { app } = makeApp();
    const urls = await Promise.all([1, 2, 3].map(() => app.inject(sessionCall())));
    const parameters = urls.map(
      (answer) => new URL(answer.json<{ url: string }>().url).searchParams,
    );
    for (const name of ['nonce', 'state']) {
      expect(new Set(parameters.map((each) => each.get(name))).size).toBe(3);
    }
    expect(parameters[0]?.get('nonce')).toMatch(/^[0-9a-f-]{36}$/);
  });

  it.each(REQUEST_IDS)('echoes the requestId as it came: %s', async (requestId) => {
    const answer = await makeApp().app.inject(sessionCall({ requestId }));
    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toMatchObject({ requestId });
  });

  it.each([
    ['another language', { locale: 'fr' }],
    ['a language tag', { locale: 'ar-SA' }],
    ['upper case', { locale: 'AR' }],
    ['no text', { locale: '' }],
    ['two languages', { locale: ['ar', 'en'] }],
    ['an empty requestId', { requestId: '' }],
    ['a requestId of 129 characters', { requestId: 'x'.repeat(129) }],
    ['two requestIds', { requestId: [REQUEST_ID, REQUEST_ID] }],
  ])('answers 422-031-046 to %s', async (_what, query) => {
    await expectRecord(makeApp(), sessionCall(query), '422-031-046');
  });

  it('answers 422-031-046 without requestId', async () => {
    const call = { url: SESSION_PATH, query: { locale: 'ar' } };
    await expectRecord(makeApp(), call, '422-031-046');
  });

  it('is in Arabic without locale', async () => {
    const call = { url: SESSION_PATH, query: { requestId: REQUEST_ID } };
    const { url } = (await makeApp().app.inject(call)).json<{ url: string }>();
    expect(new URL(url).searchParams.get('ui_locales')).toBe('ar');
  });

  it('does not look at other parameters', async () => {
    const answer = await makeApp().app.inject(sessionCall({ channel: 'web' }));
    expect(answer.statusCode).toBe(200);
  });
});

describe('POST /stg/api/v1/mfa/request', () => {
  it('answers a transaction and a number of two digits for somebody listed', async () => {
    const answer = await makeApp().app.inject(pushCall(LOGIN));
    expect(answer.statusCode).toBe(200);
    expect(answer.headers['content-type']).toBe(JSON_TYPE);
    const body = answer.json<Accepted>();
    expect(Object.keys(body)).toEqual(['transId', 'random']);
    expect(body.transId).toMatch(/^[0-9a-f-]{36}$/);
    expect(body.random).toMatch(/^\d{2}$/);
  });

  it.each([STRANGER, '1999999999'])(
    'answers the documented 422 record for %s and service Login',
    async (nationalId) => {
      const call = pushCall({ ...LOGIN, nationalId });
      const record = await expectRecord(makeApp(), call, '422-016-023');
      expect(record.message).toBe("Couldn't find the requested record.");
    },
  );

  it('has references that are integers and increase from call to call', async () => {
    const bench = makeApp();
    let last = 0;
    for (let call = 0; call < 5; call += 1) {
      const wanted = pushCall({ ...LOGIN, nationalId: STRANGER });
      const { reference } = await expectRecord(bench, wanted, '422-016-023');
      expect(Number.isSafeInteger(reference)).toBe(true);
      expect(reference).toBeGreaterThan(last);
      last = reference;
    }
  });

  it('spells the parameter local: locale is not it', async () => {
    const bench = makeApp();
    const call = pushCall(LOGIN, { locale: 'en', requestId: REQUEST_ID });
    expect((await bench.app.inject(call)).statusCode).toBe(200);
    expect(bench.engine.prompts()).toMatchObject([{ locale: 'ar' }]);
  });

  it.each([
    ['another language', { local: 'de', requestId: REQUEST_ID }],
    ['no requestId', { local: 'ar' }],
    ['an empty requestId', { local: 'ar', requestId: '' }],
    ['a requestId of 129 characters', { local: 'ar', requestId: 'x'.repeat(129) }],
  ])('answers 422-031-046 to %s in the query', async (_what, query) => {
    await expectRecord(makeApp(), pushCall(LOGIN, query), '422-031-046');
  });

  it.each([
    ['no nationalId', { service: 'Login' }],
    ['no service', { nationalId: AMAL }],
    ['an unregistered service', { ...LOGIN, service: 'Payroll' }],
    ['a number for a nationalId', { ...LOGIN, nationalId: Number(AMAL) }],
    ['nine digits', { ...LOGIN, nationalId: '100000110' }],
    ['eleven digits', { ...LOGIN, nationalId: `${AMAL}0` }],
    ['a first digit that nobody has', { ...LOGIN, nationalId: '7000001101' }],
    ['Arabic digits', { ...LOGIN, nationalId: '١٠٠٠٠٠١١٠١' }],
    ['an object for a nationalId', { ...LOGIN, nationalId: { $gt: '' } }],
    ['a list', [LOGIN]],
    ['null', 'null'],
    ['a text', '"Login"'],
  ])('answers 422-031-046 to %s in the body', async (_what, body) => {
    const call = { ...pushCall(body), headers: { 'content-type': 'application/json' } };
    await expectRecord(makeApp(), call, '422-031-046');
  });

  it('answers with the status that is set, also late and broken', async () => {
    for (const pushStatus of [200, 201] as const) {
      const { app } = makeApp({ pushStatus });
      for (const nationalId of [AMAL, outcomeId(33), outcomeId(34)]) {
        const answer = await app.inject(pushCall({ ...LOGIN, nationalId }));
        expect(answer.statusCode).toBe(pushStatus);
      }
      const unknown = statusCall({ nationalId: AMAL, transId: REQUEST_ID, random: '42' });
      expect((await app.inject(unknown)).statusCode).toBe(400);
      expect((await app.inject(sessionCall())).statusCode).toBe(200);
    }
  });

  it.each([...SERVICES_IN_USE.keys()])('asks people for the service %s', async (service) => {
    expect((await makeApp().app.inject(pushCall({ ...LOGIN, service }))).statusCode).toBe(200);
  });

  it('knows the services that it is given, and no other', async () => {
    const own = [
      ['Transfer', usualService('Transfer')],
      ['Bank*', { answerMs: null, thin: false }],
    ] as const;
    const services = new Map<string, Service>(own);
    const bench = makeApp({ engineSettings: { services } });
    await expectRecord(bench, pushCall(LOGIN), '422-031-046');
    await expectRecord(bench, pushCall({ ...LOGIN, service: 'OurBank' }), '422-031-046');
    for (const [service, nationalId] of [
      ['Transfer', AMAL],
      ['BankLogin', FAISAL],
    ] as const) {
      const known = pushCall({ nationalId, service });
      expect((await bench.app.inject(known)).statusCode).toBe(200);
    }
  });

  it('takes any service where it is told so, with the time of its name', async () => {
    const services = new Map([['*', { answerMs: null, thin: false }]]);
    const { app, engine } = makeApp({ engineSettings: { services } });
    await app.inject(pushCall({ nationalId: AMAL, service: 'Login' }));
    await app.inject(pushCall({ nationalId: FAISAL, service: 'خدمة' }));
    const times = engine.prompts().map(({ expiresAt, createdAt }) => expiresAt - createdAt);
    expect(times.toSorted((one, other) => one - other)).toEqual([60_000, 180_000]);
  });

  it('does not look at other members', async () => {
    const answer = await makeApp().app.inject(pushCall({ ...LOGIN, channel: 'app' }));
    expect(answer.statusCode).toBe(200);
  });

  it.each(REQUEST_IDS)('takes the requestId %s, and the prompt has it', async (requestId) => {
    const { app } = makeApp();
    const answer = await app.inject(pushCall(LOGIN, { local: 'ar', requestId }));
    expect(answer.statusCode).toBe(200);
    const query = { request_id: requestId };
    const prompts = await app.inject({ url: '/simulator/prompts', query });
    expect(prompts.json()).toMatchObject({ data: [{ request_id: requestId }] });
  });

  it('answers 400-034-050 while a request waits for the same person', async () => {
    const { bench, known } = await asked();
    const record = await expectRecord(bench, pushCall(LOGIN), '400-034-050');
    expect(record.message).toContain('Active Trx');
    // With the first caller's values a stranger could use another person's approval.
    expect(JSON.stringify(record)).not.toContain(known.transId);
    expect(Object.values(record)).not.toContain(known.random);
    bench.clock.advance(60_000);
    expect((await bench.app.inject(pushCall(LOGIN))).statusCode).toBe(200);
  });

  it.each([
    ['400-031-046', '{"nationalId":', 'application/json'],
    ['400-031-046', '', 'application/json'],
    ['400-031-046', '{"__proto__":{"service":"Login"}}', 'application/json'],
    ['413-031-046', JSON.stringify({ ...LOGIN, x: 'x'.repeat(16_384) }), 'application/json'],
    ['415-031-046', 'nationalId=1', 'application/x-www-form-urlencoded'],
    ['415-031-046', JSON.stringify(LOGIN), 'text/plain'],
  ])('answers the record %s to the body %.20s of %s', async (code, payload, type) => {
    const call = { ...pushCall(payload), headers: { 'content-type': type } };
    await expectRecord(makeApp(), call, code);
  });

  it('answers 422-031-046 to no body at all', async () => {
    const { payload: _payload, ...call } = pushCall(LOGIN);
    await expectRecord(makeApp(), call, '422-031-046');
  });

  it('takes a body of just under 16 KB', async () => {
    const body = { ...LOGIN, x: 'x'.repeat(16_000) };
    expect((await makeApp().app.inject(pushCall(body))).statusCode).toBe(200);
  });
});

describe('POST /stg/api/v1/mfa/request/status', () => {
  it.each([
    [AMAL, 0, 'WAITING'],
    [outcomeId(1), 0, 'COMPLETED'],
    [outcomeId(10), 0, 'REJECTED'],
    [AMAL, 60_000, 'EXPIRED'],
  ])('for %s after %i ms says %s, and nothing else', async (nationalId, ms, status) => {
    const { app, clock, known } = await asked(nationalId);
    clock.advance(ms);
    const answer = await app.inject(statusCall(known));
    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toEqual({ status });
  });

  it('answers 400-034-051 long after the expiry', async () => {
    const bench = await asked();
    bench.clock.advance(80_000);
    await expectRecord(bench, statusCall(bench.known), '400-034-051');
  });

  it.each([
    ['an unknown transaction', { transId: REQUEST_ID }],
    ['another person', { nationalId: FAISAL }],
    ['another number', { random: '999' }],
  ])('answers 400-034-053 to %s', async (_what, change) => {
    const bench = await asked();
    await expectRecord(bench, statusCall({ ...bench.known, ...change }), '400-034-053');
  });

  it.each([
    { transId: 'x' },
    { transId: undefined },
    { nationalId: 'x' },
    { random: 42 },
    { random: '' },
    { random: 'ab' },
  ])('answers 422-031-046 to %o', async (change) => {
    const bench = await asked();
    await expectRecord(bench, statusCall({ ...bench.known, ...change }), '422-031-046');
  });
});

describe('the gateway', () => {
  it.each([
    ['GET', '/stg'],
    ['GET', '/stg/api/v9/oidc/session'],
    ['POST', SESSION_PATH],
    ['HEAD', SESSION_PATH],
    ['GET', PUSH_PATH],
    ['PUT', PUSH_PATH],
    ['GET', '/'],
    ['GET', '/api/v9/oidc/session'],
    ['POST', PUSH_PATH.replace('/stg', '/sandbox')],
  ] as const)('knows no %s %s', async (method, url) => {
    const answer = await makeApp().app.inject({ method, url });
    expect(answer.statusCode).toBe(404);
    expect(answer.headers['content-type']).toBe('text/plain');
    if (method !== 'HEAD') expect(answer.body).toBe('No Mapping Rule matched');
  });

  it('says the same to a body that nobody reads', async () => {
    const headers = { 'content-type': 'application/xml' };
    for (const url of ['/stg/api/v9', '/api/v9']) {
      const call = { method: 'POST', url, payload: '<a/>', headers } as const;
      const answer = await makeApp().app.inject(call);
      expect([answer.statusCode, answer.body]).toEqual([404, 'No Mapping Rule matched']);
    }
  });

  const credentials = { appId: 'an-app', appKey: 'a-key' };

  it.each([
    { 'APP-ID': 'an-app', 'APP-KEY': 'a-key' },
    { app_id: 'an-app', app_key: 'a-key' },
    { 'APP-ID': 'another', app_id: 'an-app', app_key: 'a-key' },
  ])('lets in whoever has both halves of the pair in one spelling: %o', async (headers) => {
    const answer = await makeApp({ credentials }).app.inject({ ...sessionCall(), headers });
    expect(answer.statusCode).toBe(200);
  });

  it.each([
    {},
    { 'app-id': 'an-app' },
    { 'app-key': 'a-key' },
    { 'app-id': 'an-app', 'app-key': 'another' },
    { 'app-id': 'another', 'app-key': 'a-key' },
    { 'app-id': '', 'app-key': '' },
    { 'app-id': 'an-app', app_key: 'a-key' },
    { app_id: 'an-app', app_key: 'another' },
    { app_id: 'another', app_key: 'a-key' },
  ])('answers 403 and a text to %o, before it looks at the request', async (headers) => {
    const { app, engine } = makeApp({ credentials });
    for (const call of [sessionCall({ locale: 'xx' }), pushCall(LOGIN), statusCall({})]) {
      const answer = await app.inject({ ...call, headers });
      expect(answer.statusCode).toBe(403);
      expect(answer.headers['content-type']).toBe('text/plain');
      expect(answer.body).toBe('Authentication failed');
    }
    expect(engine.prompts()).toEqual([]);
  });

  it('tells everybody that a path is unknown', async () => {
    const answer = await makeApp({ credentials }).app.inject('/stg/api/v9');
    expect(answer.statusCode).toBe(404);
  });

  it('answers below each reported prefix, as one provider', async () => {
    const { app, engine } = makeApp();
    for (const prefix of ['/stg', '']) {
      const url = SESSION_PATH.replace('/stg', prefix);
      expect((await app.inject({ ...sessionCall(), url })).statusCode).toBe(200);
    }
    expect(engine.prompts()).toHaveLength(2);
  });

  it('stands below another prefix when it is told to, or below none', async () => {
    for (const providerPrefix of ['/sandbox', '']) {
      const { app } = makeApp({ providerPrefixes: [providerPrefix] });
      const url = SESSION_PATH.replace('/stg', providerPrefix);
      expect((await app.inject({ ...sessionCall(), url })).statusCode).toBe(200);
      expect((await app.inject(`${providerPrefix}/x`)).body).toBe('No Mapping Rule matched');
    }
  });
});

describe('every answer', () => {
  it.each([
    sessionCall(),
    sessionCall({ locale: 'x' }),
    pushCall(LOGIN),
    pushCall('{'),
    pushCall({ ...LOGIN, nationalId: outcomeId(32) }),
    pushCall({ ...LOGIN, nationalId: outcomeId(34) }),
    statusCall({}),
    { url: '/stg/x' },
    { url: '/x' },
    { url: '/livez' },
    { url: '/readyz' },
    { url: '/simulator/people' },
    { url: '/simulator/x' },
  ])('says that it is the simulator’s, is not stored, and has a name: %o', async (call) => {
    const { headers } = await makeApp().app.inject(call);
    expect(headers['x-auth-mode']).toBe('simulator');
    expect(headers['cache-control']).toBe('no-store');
    expect(headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
  });
});

describe('bad input', () => {
  it('is never a 5xx, and always the provider’s record', async () => {
    const bench = makeApp();
    const values = [
      null,
      true,
      0,
      -1,
      1e308,
      '',
      'x'.repeat(9000),
      [],
      {},
      [[]],
      '\u0000',
      '__proto__',
    ];
    for (const value of values) {
      for (const body of [
        { ...LOGIN, nationalId: value },
        { ...LOGIN, service: value },
      ]) {
        await expectRecord(bench, pushCall(body), '422-031-046');
      }
      await expectRecord(bench, statusCall({ transId: value }), '422-031-046');
    }
  });

  it('is refused however deep it is', async () => {
    const payload = `${'['.repeat(8000)}${']'.repeat(8000)}`;
    const call = { ...pushCall(payload), headers: { 'content-type': 'application/json' } };
    await expectRecord(makeApp(), call, '422-031-046');
  });
});

describe('a bug', () => {
  it('is an outage to the caller, and a line in the log', async () => {
    const { app, engine, logged } = makeApp();
    engine.createPush = () => {
      throw new Error('a bug');
    };
    const answer = await app.inject(pushCall(LOGIN));
    expect(answer.statusCode).toBe(500);
    expect(answer.body).toBe('Internal Server Error\n');
    expect(logged()).toContain('a bug');
  });
});

describe('the log', () => {
  it('holds no identifier, no number and no query, at its most talkative', async () => {
    const { app, engine, logged } = makeApp();
    const identities = [AMAL, STRANGER, ...OUTCOMES.map(({ number }) => outcomeId(number))];
    const headers = { 'content-type': 'application/json' };
    // An injected request has no connection that can be cut; a test on real sockets covers that
    // outcome.
    for (const nationalId of identities.filter((each) => each !== outcomeId(35))) {
      await app.inject(pushCall({ ...LOGIN, nationalId }));
      await app.inject(statusCall({ nationalId, transId: REQUEST_ID, random: '3141592653' }));
      await app.inject({ ...pushCall(`{"nationalId":"${nationalId}"`), headers });
    }
    await app.inject('/simulator/prompts?request_id=a-canary');
    const transactions = engine.prompts().map((p) => (p.kind === 'push' ? p.transactionId : p.id));
    const texts = [...transactions, 'a-canary', 'requestId='];
    expect(logged().split('\n').length).toBeGreaterThan(2 * identities.length);
    expect(texts.filter((text) => logged().includes(text))).toEqual([]);
    // Only separate numbers, because the digits of a `responseTime` are arbitrary.
    const numbers = nationalIdsIn(logged());
    expect([...identities, '3141592653'].filter((number) => numbers.has(number))).toEqual([]);
  });
});
