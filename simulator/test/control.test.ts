import { describe, expect, it } from 'vitest';
import { OUTCOMES } from '../src/engine/outcomes/outcomes.ts';
import { DECISIONS } from '../src/engine/prompts/prompts.ts';
import { DEFAULT_SCOPE } from '../src/engine/scenario.ts';
import { decisionCall, makeApp, pushCall, sessionCall, type AppBench } from './support/apps.ts';
import { AMAL, ORIGIN, REQUEST_ID } from './support/engines.ts';
import { openSession } from './support/sign-in.ts';

const PROMPTS = '/simulator/prompts';
const TOKEN = 'a-token-of-enough-length';

/** A push to the default person, by area B. */
async function withPush(options: Parameters<typeof makeApp>[0] = {}) {
  const bench = makeApp(options);
  const answer = await bench.app.inject(pushCall({ nationalId: AMAL, service: 'Login' }));
  const [prompt] = bench.engine.prompts();
  if (prompt === undefined) throw new Error('no prompt');
  return { ...bench, promptId: prompt.id, random: answer.json<{ random: string }>().random };
}

async function expectError({ app }: AppBench, call: object, status: number, code: string) {
  const answer = await app.inject(call);
  expect(answer.statusCode).toBe(status);
  expect(answer.headers['content-type']).toBe('application/problem+json; charset=utf-8');
  expect(answer.json()).toMatchObject({ code, message: expect.any(String) as string, status });
  return answer;
}

function kinds(body: string): readonly string[] {
  return (JSON.parse(body) as { data: Array<{ kind: string }> }).data.map(({ kind }) => kind);
}

describe('GET /simulator/prompts', () => {
  it('lists what waits for a person, member by member', async () => {
    const { app, promptId, random } = await withPush();
    const answer = await app.inject({ url: PROMPTS, query: { request_id: REQUEST_ID } });
    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toEqual({
      data: [
        {
          id: promptId,
          kind: 'push',
          request_id: REQUEST_ID,
          service: 'Login',
          application: null,
          place: null,
          locale: 'ar',
          national_id: AMAL,
          random,
          person: { id: 'amal', ar: 'أمل سالم ناصر النموذجي', en: 'Amal Salem Nasser Alnamuthaji' },
          shown: true,
          created_at: '2026-01-31T09:05:00+00:00',
          expires_at: '2026-01-31T09:06:00+00:00',
        },
      ],
    });
  });

  it('lists a sign-in page without an identifier and a number', async () => {
    const { app } = makeApp();
    await app.inject(sessionCall());
    expect((await app.inject(PROMPTS)).json()).toMatchObject({
      data: [{ kind: 'redirect', national_id: null, random: null, person: null }],
    });
  });

  it('says whether a browser has opened the sign-in page', async () => {
    const { app } = makeApp();
    const { page } = await openSession(app);
    expect((await app.inject(PROMPTS)).json()).toMatchObject({ data: [{ shown: false }] });
    await app.inject(page);
    expect((await app.inject(PROMPTS)).json()).toMatchObject({ data: [{ shown: true }] });
  });

  it('lists both flows, oldest first, and only one request when it is asked for one', async () => {
    const { app } = await withPush();
    const requestId = '0199a1b2-c3d4-7e5f-8a6b-000000000000';
    await app.inject(sessionCall({ requestId }));
    expect(kinds((await app.inject(PROMPTS)).body)).toEqual(['push', 'redirect']);
    const one = await app.inject(`${PROMPTS}?request_id=${requestId}`);
    expect(kinds(one.body)).toEqual(['redirect']);
    expect((await app.inject(`${PROMPTS}?request_id=nobody`)).json()).toEqual({ data: [] });
  });

  it('lists nothing that has expired', async () => {
    const { app, clock } = await withPush();
    clock.advance(60_000);
    expect((await app.inject(PROMPTS)).json()).toEqual({ data: [] });
  });

  it('refuses parameters that it does not know', async () => {
    await expectError(makeApp(), { url: `${PROMPTS}?requestId=x` }, 422, 'validation.failed');
  });
});

describe('POST /simulator/prompts/{id}/decision', () => {
  it.each([
    ['approve', { state: 'approved', reason: null, person: 'amal' }],
    ['refuse', { state: 'rejected', reason: 'refused', person: null }],
    ['not_me', { state: 'rejected', reason: 'not_me', person: null }],
    ['wrong_number', { state: 'rejected', reason: 'wrong_number', person: null }],
    ['ignore', { state: 'waiting', reason: null, person: null }],
  ])('%s makes it %o', async (decision, state) => {
    const { app, promptId } = await withPush();
    const answer = await app.inject(decisionCall(promptId, { decision }));
    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toEqual({ data: { id: promptId, request_id: REQUEST_ID, ...state } });
    expect((await app.inject(PROMPTS)).json()).toEqual({ data: [] });
  });

  it('approves by the number that was shown, however it was typed', async () => {
    const { app, promptId, random } = await withPush();
    const persian = random.replaceAll(/\d/g, (digit) => String.fromCharCode(0x6f0 + Number(digit)));
    const number = `\u200f ${persian.slice(0, 1)}\u00a0${persian.slice(1)} `;
    const answer = await app.inject(decisionCall(promptId, { decision: 'approve', number }));
    expect(answer.json()).toMatchObject({ data: { state: 'approved', person: 'amal' } });
  });

  it('is wrong_number for an approval with another number', async () => {
    const { app, promptId, random } = await withPush();
    const number = String((Number(random) + 1) % 10 ** random.length).padStart(random.length, '0');
    const answer = await app.inject(decisionCall(promptId, { decision: 'approve', number }));
    expect(answer.json()).toMatchObject({ data: { state: 'rejected', reason: 'wrong_number' } });
  });

  it.each([
    { decision: 'approve', number: '4x' },
    { decision: 'approve', number: '' },
    { decision: 'refuse', number: '42' },
  ])('ends nothing by %o', async (body) => {
    const bench = await withPush();
    const { json } = await bench.app.inject(decisionCall(bench.promptId, body));
    expect(json()).toMatchObject({ violations: [{ pointer: '/number' }] });
    expect((await bench.app.inject(PROMPTS)).json()).toMatchObject({
      data: [{ id: bench.promptId }],
    });
  });

  it('approves as the person who is named', async () => {
    const { app, promptId } = await withPush();
    const answer = await app.inject(
      decisionCall(promptId, { decision: 'approve', person: 'yara' }),
    );
    expect(answer.json()).toMatchObject({ data: { person: 'yara' } });
  });

  it('refuses a second one: an end is final', async () => {
    const bench = await withPush();
    await bench.app.inject(decisionCall(bench.promptId, { decision: 'refuse' }));
    const again = decisionCall(bench.promptId, { decision: 'approve' });
    await expectError(bench, again, 409, 'prompt.ended');
  });

  it('refuses an unknown prompt, an unknown person and a number that was not shown', async () => {
    const bench = await withPush();
    const approve = { decision: 'approve' };
    await expectError(bench, decisionCall('nobody', approve), 404, 'prompt.not_found');
    const somebody = decisionCall(bench.promptId, { ...approve, person: 'nobody' });
    await expectError(bench, somebody, 422, 'person.not_found');
    const page = bench.engine.createSession({ requestId: REQUEST_ID, locale: 'en' }).promptId;
    const wrong = decisionCall(page, { decision: 'wrong_number' });
    await expectError(bench, wrong, 422, 'decision.not_applicable');
  });

  it.each([
    {},
    { decision: 'accept' },
    { decision: 'approve', who: 'amal' },
    { decision: null },
    [],
  ])('refuses the body %o', async (body) => {
    const bench = await withPush();
    await expectError(bench, decisionCall(bench.promptId, body), 422, 'validation.failed');
  });

  it('names the decisions that there are when it refuses another one', async () => {
    const bench = await withPush();
    const { app } = bench;
    const answer = await app.inject(decisionCall(bench.promptId, { decision: 'accept' }));
    const { message } = answer.json<{ message: string }>();
    for (const decision of DECISIONS) expect(message).toContain(decision);
    const other = await app.inject({ url: `${PROMPTS}?requestId=x` });
    expect(other.json<{ message: string }>().message).not.toContain('approve');
  });

  it.each([
    ['{"decision":', 'application/json', 400, 'request.malformed_json'],
    [
      'decision=approve',
      'application/x-www-form-urlencoded',
      415,
      'request.unsupported_media_type',
    ],
    ['{"decision":"approve"}', 'text/plain', 415, 'request.unsupported_media_type'],
    [`"${'x'.repeat(20_000)}"`, 'application/json', 413, 'request.body_too_large'],
  ])('takes JSON only: %.25s as %s is %i', async (body, type, status, code) => {
    const bench = await withPush();
    const call = decisionCall(bench.promptId, body, { 'content-type': type });
    await expectError(bench, call, status, code);
    expect(bench.engine.prompts()).toHaveLength(1);
  });
});

describe('GET /simulator/people and /simulator/outcomes', () => {
  it('show the cast as the people file has it', async () => {
    const { app, engine } = makeApp();
    const { data } = (await app.inject('/simulator/people')).json<{ data: object[] }>();
    expect(data).toHaveLength(engine.scopes.of(DEFAULT_SCOPE).directory.people.all.length);
    expect(data[0]).toMatchObject({
      id: 'amal',
      default: true,
      national_id: AMAL,
      document_type: 'nin',
      nationality: { code: 'SA', number: 113 },
      preferred_locale: 'ar',
    });
  });

  it('show each identity that acts by itself', async () => {
    const answer = await makeApp().app.inject('/simulator/outcomes');
    const { data } = answer.json<{ data: object[] }>();
    expect(data).toHaveLength(OUTCOMES.length);
    expect(data[0]).toEqual({
      national_id: '1900000001',
      key: 'approves_at_once',
      title: { en: 'Approves at once', ar: 'يوافق فورًا' },
      person: 'outcome-01',
      push: 'phone',
      redirect: 'page',
      after: true,
    });
  });

  it('are all that there is to read, and a misspelt one is told its name', async () => {
    const bench = makeApp();
    await expectError(bench, { url: '/simulator/nothing' }, 404, 'route.not_found');
    const answer = await expectError(bench, { url: '/simulator/peple' }, 404, 'route.not_found');
    expect(answer.json()).toEqual({
      type: 'about:blank',
      title: 'Not Found',
      status: 404,
      detail: 'There is nothing at this address. Did you mean GET /simulator/people?',
      code: 'route.not_found',
      message: 'There is nothing at this address. Did you mean GET /simulator/people?',
      remedy: 'GET /simulator/openapi.json lists the operations.',
      request_id: answer.headers['x-request-id'],
    });
    for (const [url, meant] of [
      ['/simulator/attempt/some-id', 'GET /simulator/attempts/{id}'],
      ['/simulator/phoen', 'GET /simulator/phone'],
    ] as const) {
      expect((await bench.app.inject(url)).json()).toMatchObject({
        detail: expect.stringContaining(`Did you mean ${meant}?`) as string,
      });
    }
    const long = await bench.app.inject(`/simulator/people${'x'.repeat(80)}`);
    expect(long.body).not.toContain('Did you mean');
    const xml = {
      method: 'POST',
      url: '/simulator/x',
      payload: '<a/>',
      headers: { 'content-type': 'a/b' },
    };
    await expectError(bench, xml, 404, 'route.not_found');
  });

  it('have the methods that Allow names', async () => {
    const call = { method: 'DELETE', url: '/simulator/clock' };
    const answer = await expectError(makeApp(), call, 405, 'request.method_not_allowed');
    expect(answer.headers.allow).toBe('GET, HEAD, POST');
    expect(answer.json()).toMatchObject({
      title: 'Method Not Allowed',
      detail: 'This method is not allowed here. Use GET or HEAD or POST.',
    });
  });
});

describe('the control API keeps other people’s pages out', () => {
  it.each(['localhost:4000', '127.0.0.1:4000', '[::1]:4000', 'localhost'])(
    'answers to the host %s',
    async (host) => {
      const answer = await makeApp().app.inject({ url: PROMPTS, headers: { host } });
      expect(answer.statusCode).toBe(200);
    },
  );

  it.each([
    'evil.example.test',
    'localhost.evil.example.test',
    '127.0.0.1.evil.example.test:4000',
    'a@b',
  ])('answers 421 to the host %j', async (host) => {
    const call = { url: PROMPTS, headers: { host } };
    await expectError(makeApp(), call, 421, 'request.misdirected');
  });

  it('answers to the host of PUBLIC_URL and to the ones that are allowed', async () => {
    const control = { publicUrl: 'https://id.example.test', allowedHosts: ['simulator'] };
    const { app } = makeApp({ control });
    for (const host of ['id.example.test', 'simulator:4000', 'SIMULATOR']) {
      expect((await app.inject({ url: PROMPTS, headers: { host } })).statusCode).toBe(200);
    }
  });

  const host = '127.0.0.1:4000';

  it.each([
    { host },
    { host, origin: ORIGIN },
    { host: 'localhost:4000', origin: 'http://localhost:4000' },
    { host, 'sec-fetch-site': 'same-origin' },
    { host, 'sec-fetch-site': 'none' },
  ])('lets in %o', async (headers) => {
    const { app, promptId } = await withPush();
    expect((await app.inject({ url: PROMPTS, headers })).statusCode).toBe(200);
    const decision = decisionCall(promptId, { decision: 'approve' }, headers);
    expect((await app.inject(decision)).statusCode).toBe(200);
  });

  it.each([
    { host, origin: 'http://evil.example.test' },
    { host, origin: 'http://127.0.0.1:4001' },
    { host: 'localhost:4000', origin: 'http://localhost:3000' },
    { host, origin: 'null' },
    { host, origin: '' },
    { host, 'sec-fetch-site': 'cross-site' },
    { host, 'sec-fetch-site': 'same-site' },
    { host, origin: ORIGIN, 'sec-fetch-site': 'cross-site' },
  ])('keeps out %o, reading and deciding alike', async (headers) => {
    const bench = await withPush();
    await expectError(bench, { url: PROMPTS, headers }, 403, 'simulator.foreign_origin');
    const decision = decisionCall(bench.promptId, { decision: 'approve' }, headers);
    await expectError(bench, decision, 403, 'simulator.foreign_origin');
    expect(bench.engine.prompts()).toHaveLength(1);
  });

  const control = { publicUrl: ORIGIN, token: TOKEN };

  it.each([`Bearer ${TOKEN}`, `bearer ${TOKEN}`])('opens to %s', async (authorization) => {
    const { app } = makeApp({ control });
    const answer = await app.inject({ url: PROMPTS, headers: { authorization } });
    expect(answer.statusCode).toBe(200);
  });

  it.each([
    {},
    { authorization: '' },
    { authorization: TOKEN },
    { authorization: `Basic ${TOKEN}` },
    { authorization: 'Bearer x' },
  ])('asks for its token when given %o', async (headers) => {
    for (const url of [PROMPTS, '/simulator/people', '/simulator/x']) {
      const call = { url, headers };
      const answer = await expectError(makeApp({ control }), call, 401, 'simulator.token_required');
      expect(answer.headers['www-authenticate']).toBe('Bearer');
    }
  });

  it('does not ask for it on area B, which has keys of its own', async () => {
    const { app } = makeApp({ control });
    expect((await app.inject(sessionCall())).statusCode).toBe(200);
  });
});

describe('a bug below the control API', () => {
  it('is a 500 that says nothing', async () => {
    const bench = makeApp();
    bench.engine.prompts = () => {
      throw new Error('a bug with a secret in it');
    };
    const answer = await expectError(bench, { url: PROMPTS }, 500, 'server.error');
    expect(answer.body).not.toContain('secret');
  });
});
