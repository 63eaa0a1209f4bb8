import { describe, expect, it } from 'vitest';
import { RATE_POLICIES } from '../../src/values/limits.ts';
import type { Timer } from '../../src/platform/runtime.port.ts';
import { until } from '../support/programs/until.ts';
import {
  AMAL,
  bearer,
  complete,
  dataOf,
  expectProblem,
  issuedOf,
  login,
  readStatus,
  redeem,
  startedOf,
  startPhone,
  startRedirect,
  statusOf,
} from '../support/service/login.ts';
import { openTestService, type Answer, type TestService } from '../support/service/test-service.ts';

/** `POST /simulator/clock`: one clock for everything, which a test moves. */

const FREE = { RATE_LIMITS: 'off' };

function moveClock(service: TestService, payload: object): Promise<Answer> {
  return service.app.inject({ method: 'POST', url: '/simulator/clock', payload });
}

async function advance(service: TestService, duration: string): Promise<void> {
  expect((await moveClock(service, { advance: duration })).statusCode).toBe(200);
}

/** With the names that `fetch` asks for. */
const LOCAL = { PUBLIC_URL: 'http://localhost:3000', ALLOWED_HOSTS: '127.0.0.1' };
const codeIn = (answer: Answer) => answer.json<{ data: { code: string } }>().data.code;
const TOKENED = { SIMULATOR_TOKEN: 'a-token-of-enough-length' };
const CONTROL = { authorization: `Bearer ${TOKENED.SIMULATOR_TOKEN}` };
const SET_TO = Date.UTC(2031, 4, 6, 7, 8, 9);
const A_DAY_MS = 86_400_000;
const timesIn = (text: string) =>
  [...text.matchAll(/\d{4}-\d\d-\d\dT[\d:.]+|\w{3}, \d\d \w{3} \d{4} [\d:]+ GMT/g)].map(String);
const isForeign = (time: string) => Math.abs(Date.parse(time) - SET_TO) > 31 * A_DAY_MS;
const dataIn = (text: string) => (JSON.parse(text) as { data?: object }).data;
const KEY = bearer('mfk_test_simulator');

const startStrict = (service: TestService, national_id: string) =>
  service.post('/start', { locale: 'en', national_id }, KEY);

const statusOfUser = async (service: TestService, token: string) =>
  (await service.get('/user', bearer(token))).statusCode;

describe('a moved clock', () => {
  it('expires an attempt, for whoever reads it and for whoever waits for it', async () => {
    // Nobody reads again by itself: only the moves wake who waits.
    let timers = 0;
    const timer: Timer = { after: () => ((timers += 1), () => undefined) };
    const service = await openTestService({ settings: FREE, parts: { timer } });
    const started = await startPhone(service);
    const waiting = service.get(`/status/${started.attempt_id}?wait=25`, {
      'x-provider-attempt-token': started.attempt_token,
    });
    let isAnswered = false;
    void waiting.then(() => (isAnswered = true));
    // One for the end of the poll, one for the pause before the next read.
    await until(() => timers > 1);
    await advance(service, '4m');
    expect(await statusOf(service, started)).toBe('pending');
    await advance(service, '1m');
    await expect.poll(() => isAnswered).toBe(true);
    expect(dataOf(await waiting)['status']).toBe('expired');
    expect(await statusOf(service, started)).toBe('expired');
    expectProblem(await complete(service, started), 'attempt.expired');
  });

  it('is the time in the header Date of every answer', async () => {
    const service = await openTestService({ settings: { ...FREE, STRICT: 'yes', ...LOCAL } });
    const origin = await service.app.listen({ host: '127.0.0.1', port: 0 });
    await moveClock(service, { freeze: '2031-05-06T07:08:09Z' });
    await moveClock(service, { skew: '10m' });
    const dateOf = async (path: string, init: RequestInit = {}) => {
      const control = new AbortController();
      const answer = await fetch(origin + path, { ...init, signal: control.signal });
      control.abort();
      return answer.headers.get('date');
    };
    const refused = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{' };
    const { attempt_id, attempt_token } = startedOf(await startStrict(service, AMAL));
    const own = { headers: { 'x-provider-attempt-token': attempt_token } };
    const answers: [string, RequestInit?][] = [
      ['/livez'],
      ['/nowhere'],
      ['/openapi.json'],
      ['/api/v1/start', refused],
      [`/api/v1/status/${attempt_id}`, own],
      [`/api/v1/status/${attempt_id}/events`, own],
      ['/simulator/clock'],
      ['/simulator/events'],
    ];
    for (const [path, init] of answers) {
      expect([path, await dateOf(path, init)]).toEqual([path, 'Tue, 06 May 2031 07:08:09 GMT']);
    }
    for (const path of ['/stg/api/v1/mfa/jwk', '/stg/api/nowhere', '/authservice/authorize']) {
      expect([path, await dateOf(path)]).toEqual([path, 'Tue, 06 May 2031 07:18:09 GMT']);
    }
  });

  it('is the only one in an answer, whatever it is asked for', async () => {
    // With limits: they tell a time, too.
    const service = await openTestService({ settings: { ...TOKENED, ...LOCAL } });
    const origin = await service.app.listen({ host: '127.0.0.1', port: 0 });
    async function ask(path: string, body?: object, headers: Record<string, string> = {}) {
      const answer = await fetch(origin + path, {
        headers: { ...CONTROL, ...headers, 'content-type': 'application/json' },
        ...(body && { method: 'POST', body: JSON.stringify(body) }),
      });
      const text = await answer.text();
      expect(answer.status, path + text).toBeLessThan(300);
      const seen = text + JSON.stringify([...answer.headers]);
      const left = /;t=(\d+)/.exec(answer.headers.get('ratelimit') ?? ';t=60')?.[1];
      expect(Number(left), seen).toBeLessThanOrEqual(60);
      expect([path, timesIn(seen).filter(isForeign)]).toEqual([path, []]);
      return { code: '', attempt_id: '', attempt_token: '', ...dataIn(text) };
    }
    await service.app.inject({
      method: 'POST',
      url: '/simulator/clock',
      headers: CONTROL,
      payload: { freeze: new Date(SET_TO).toISOString() },
    });
    const { token } = await login(service);
    const started = await ask('/api/v1/start', { locale: 'en', national_id: AMAL });
    const own = { 'x-provider-attempt-token': started.attempt_token };
    await ask(`/api/v1/status/${started.attempt_id}`, undefined, own);
    for (const path of ['user', 'tokens']) await ask(`/api/v1/${path}`, undefined, bearer(token));
    await ask('/api/v1/introspect', { token }, KEY);
    const attempt = `attempts/${started.attempt_id}`;
    for (const path of ['clock', 'attempts', attempt, 'prompts', 'keys', 'faults']) {
      await ask(`/simulator/${path}`);
    }
    await ask('/simulator/keys/announce', {});
    const { code } = await ask('/simulator/session-codes', {});
    await ask('/simulator/session', { code });
  });

  it('ends an open stream of events: the head of the next one says the new time', async () => {
    const service = await openTestService({ settings: { ...FREE, ...LOCAL } });
    const origin = await service.app.listen({ host: '127.0.0.1', port: 0 });
    const { attempt_id, attempt_token } = await startPhone(service);
    const headers = { 'x-provider-attempt-token': attempt_token };
    const stream = await fetch(`${origin}/api/v1/status/${attempt_id}/events`, { headers });
    await advance(service, '1m');
    expect(await stream.text()).toContain('"status":"pending"');
  });

  it('ends a session of the control API, and a reset brings it not back', async () => {
    const service = await openTestService({ settings: { ...FREE, ...TOKENED } });
    const headers = CONTROL;
    const move = (payload: object) =>
      service.app.inject({ method: 'POST', url: '/simulator/clock', headers, payload });
    const code = () =>
      service.app.inject({ method: 'POST', url: '/simulator/session-codes', headers, payload: {} });
    const payload = { code: codeIn(await code()) };
    const entered = await service.app.inject({
      method: 'POST',
      url: '/simulator/session',
      payload,
    });
    const cookie = String(entered.headers['set-cookie']).split(';')[0];
    const read = async () =>
      (await service.app.inject({ url: '/simulator/people', headers: { cookie } })).statusCode;
    expect(await read()).toBe(200);
    await move({ advance: '12h' });
    expect(await read()).toBe(401);
    await move({ reset: true });
    expect(await read()).toBe(401);
  });

  it('ends a token, and what is stored says when it was', async () => {
    const service = await openTestService({ settings: { ...FREE, TOKEN_LIFETIME: '1h' } });
    const { token } = await login(service);
    await advance(service, '59m');
    expect(await statusOfUser(service, token)).toBe(200);
    await advance(service, '1m');
    expect(await statusOfUser(service, token)).toBe(401);
  });

  it('begins the window of a limit anew, also when it was set back', async () => {
    const service = await openTestService();
    const useUp = async () => {
      for (let count = 0; count < RATE_POLICIES.start.quota; count += 1) {
        await startRedirect(service);
      }
      const refused = await service.post('/start', { locale: 'en' });
      expectProblem(refused, 'rate_limited');
      return Number(refused.headers['retry-after']);
    };
    await moveClock(service, { freeze: 'now' });
    expect(await useUp()).toBe(60);
    await advance(service, '59s');
    const { headers } = await service.post('/start', { locale: 'en' });
    expect([headers['retry-after'], headers['ratelimit']]).toEqual(['1', '"start";r=0;t=1']);
    await advance(service, '1s');
    expect(await useUp()).toBe(60);
    await moveClock(service, { reset: true });
    await startRedirect(service);
  });

  it('does not bring back what had expired, when it is set back', async () => {
    const service = await openTestService({ settings: { ...FREE, TOKEN_LIFETIME: '1h' } });
    const { token } = await login(service);
    const started = await startPhone(service);
    const unseen = await startRedirect(service);
    await advance(service, '2h');
    const later = await startPhone(service);
    const { token: young } = await login(service);
    expect(await statusOf(service, started)).toBe('expired');
    expect(await statusOfUser(service, token)).toBe(401);
    await moveClock(service, { reset: true });
    expect(await statusOf(service, started)).toBe('expired');
    expect(await statusOf(service, unseen)).toBe('expired');
    expect(await statusOfUser(service, token)).toBe(401);
    expectProblem(await complete(service, started), 'attempt.expired');
    expect(await statusOf(service, later)).toBe('pending');
    expect(await statusOfUser(service, young)).toBe(200);
  });

  it('frees the budget of prompts for a phone', async () => {
    const service = await openTestService({ settings: { ...FREE, BUDGETS: 'on' } });
    const start = () => service.post('/start', { national_id: AMAL, locale: 'en' });
    // A refused prompt waits no more, and the next one may be sent after two minutes.
    for (const _ of ['first', 'second', 'third']) {
      const { attempt_id } = startedOf(await start());
      const url = `/simulator/prompts/${attempt_id}/decision`;
      await service.app.inject({ method: 'POST', url, payload: { decision: 'refuse' } });
      await advance(service, '3m');
    }
    expectProblem(await start(), 'push.budget_spent');
    await advance(service, '1h');
    await startPhone(service);
  });

  it('has housekeeping done when the move is answered', async () => {
    const service = await openTestService({ settings: { ...FREE, RETENTION: '2m' } });
    const started = await startRedirect(service);
    await advance(service, '1h');
    expectProblem(await readStatus(service, started), 'attempt.not_found');
  });

  it('lets an outcome come that takes three seconds', async () => {
    const service = await openTestService({ settings: FREE });
    await moveClock(service, { freeze: 'now' });
    const started = await startPhone(service, '1900000002');
    expect(await statusOf(service, started)).toBe('pending');
    await advance(service, '3s');
    expect(await statusOf(service, started)).toBe('authenticated');
    issuedOf(await redeem(service, started));
  });
});

describe('a moved clock in strict mode', () => {
  const STRICT = { ...FREE, STRICT: 'yes', PUBLIC_URL: 'http://localhost:3000' };

  async function open() {
    const service = await openTestService({ settings: STRICT });
    const start = async (national_id: string) => startedOf(await startStrict(service, national_id));
    const approve = async (attemptId: string) => {
      const listed = await service.app.inject(`/simulator/prompts?request_id=${attemptId}`);
      const [prompt] = listed.json<{ data: { id: string }[] }>().data;
      const url = `/simulator/prompts/${prompt?.id}/decision`;
      await service.app.inject({ method: 'POST', url, payload: { decision: 'approve' } });
    };
    return { service, start, approve };
  }

  it('signs in while it stands still', async () => {
    const { service, start, approve } = await open();
    await moveClock(service, { freeze: '2031-05-06T07:08:09Z' });
    const started = await start(AMAL);
    await approve(started.attempt_id);
    await until(async () => (await statusOf(service, started)) === 'authenticated');
  });

  it('has a result of the provider come sooner', async () => {
    const { service, start } = await open();
    const started = await start('1900000003');
    await advance(service, '59s');
    await until(async () => (await statusOf(service, started)) === 'authenticated');
  });

  it('refuses results of a provider whose clock is far ahead', async () => {
    const { service, start, approve } = await open();
    await moveClock(service, { skew: '10m' });
    const started = await start(AMAL);
    await approve(started.attempt_id);
    await until(() => service.logLines.some((line) => line.includes('was not accepted')));
    expect(await statusOf(service, started)).toBe('pending');
  });
});
