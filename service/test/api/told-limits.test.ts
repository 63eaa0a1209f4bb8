import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RATE_POLICIES, RATE_WINDOW_MS } from '../../src/values/limits.ts';
import type { Timer } from '../../src/platform/runtime.port.ts';
import { SECOND_MS, type Ms } from '../../src/values/time.ts';
import { share } from '../support/at-end.ts';
import { namesOfLimits, toldLimit } from '../support/limits/told-limits.ts';
import { OPENID_CLIENTS, openStrictOpenid, PORTAL_KEY } from '../support/openid/openid-scene.ts';
import {
  AMAL,
  complete,
  FAISAL,
  readStatus,
  startPhone,
  startRedirect,
  type Started,
} from '../support/service/login.ts';
import { KEY, launchAndDecide, startStrict, STRICT } from '../support/service/strict-login.ts';
import {
  BASE,
  openTestService,
  shareService,
  type Answer,
} from '../support/service/test-service.ts';

/** What answers say of limits is what happens, so that an application can plan by it. */

const service = shareService({ RATE_LIMITS: 'on' });
const strict = shareService({ ...STRICT, RATE_LIMITS: 'on', BUDGETS: 'on' });
const openid = share((atEnd) =>
  openStrictOpenid(atEnd, Object.values(OPENID_CLIENTS), { RATE_LIMITS: 'on', BUDGETS: 'on' }),
);

const JSON_TYPE = { 'content-type': 'application/json' };
let addresses = 0;

/** Somebody who is alone on their address. */
function newcomer() {
  addresses += 1;
  const remoteAddress = `2001:db8:${addresses.toString(16)}::1`;
  const post = (path: string, payload: string, headers: Record<string, string> = JSON_TYPE) =>
    service().request({ method: 'POST', url: BASE + path, headers, payload, remoteAddress });
  const get = (url: string, method: 'GET' | 'HEAD' = 'GET') =>
    service().app.inject({ method, url: BASE + url, remoteAddress });
  return { post, get };
}

/** Requests that end in all kinds of ways, and are counted alike. */
const KINDS: readonly ((from: ReturnType<typeof newcomer>) => Promise<Answer>)[] = [
  ({ post }) => post('/start', '{"locale":"en"}'),
  ({ post }) => post('/start', '{"locale":"fr"}'),
  ({ post }) => post('/start', '{'),
  ({ post }) => post('/start', 'x', { 'content-type': 'text/plain' }),
  ({ post }) => post('/start', `"${'x'.repeat(20_000)}"`),
  ({ post }) => post('/start', '{"locale":"en","national_id":"1900000021"}'),
];

const kind = fc.integer({ min: 0, max: KINDS.length - 1 });

interface Step {
  readonly kind: number;
  readonly pauseMs: Ms;
}

/** Waits where it is told to, and is never refused. */
async function obey(steps: readonly Step[]): Promise<void> {
  const client = newcomer();
  let before: ReturnType<typeof toldLimit> | null = null;
  for (const { kind: chosen, pauseMs } of steps) {
    const waitMs: Ms = before?.remaining === 0 ? before.resetMs : pauseMs;
    service().clock.advance(waitMs);
    const answer = await KINDS[chosen]?.(client);
    expect(answer?.statusCode).not.toBe(429);
    const told = toldLimit(answer?.headers ?? {});
    const isNew: boolean = before === null || told.remaining > before.remaining;
    expect(told.remaining).toBe(isNew ? told.quota - 1 : (before?.remaining ?? 0) - 1);
    if (isNew) expect(told.resetMs).toBe(RATE_WINDOW_MS);
    else expect((before?.resetMs ?? 0) - told.resetMs).toBeLessThan(waitMs + SECOND_MS);
    before = told;
  }
}

/** Uses all that it is told to have, and then asks once more before the window has ended. */
async function overdraw(spreadMs: readonly Ms[], early: number, chosen: number): Promise<void> {
  const client = newcomer();
  const once = async () => KINDS[chosen]?.(client);
  let told = toldLimit((await once())?.headers ?? {});
  for (const pauseMs of spreadMs) {
    service().clock.advance(pauseMs);
    told = toldLimit((await once())?.headers ?? {});
  }
  expect(told.remaining).toBe(0);
  // `t` is rounded up: the window ends in its last second.
  service().clock.advance(Math.floor(early * (told.resetMs - SECOND_MS)));
  const refused = await once();
  expect(refused?.statusCode).toBe(429);
  const { remaining, resetMs } = toldLimit(refused?.headers ?? {});
  expect([remaining, refused?.headers['retry-after']]).toEqual([0, String(resetMs / SECOND_MS)]);
  service().clock.advance(resetMs);
  expect((await once())?.statusCode).not.toBe(429);
}

describe('a client alone on its key', () => {
  it('that obeys what it is told is never refused, also at the edge of a window', async () => {
    const step = fc.record({ kind, pauseMs: fc.oneof(fc.constant(0), fc.nat(6000)) });
    const steps = fc.array(step, { minLength: 25, maxLength: 50 });
    await fc.assert(fc.asyncProperty(steps, obey), { numRuns: 25 });
  });

  it('that does one request more than told is always refused, and is told when it is not', async () => {
    const spread = fc.array(fc.nat(3000), { minLength: 19, maxLength: 19 });
    const early = fc.double({ min: 0, max: 1, noNaN: true });
    await fc.assert(fc.asyncProperty(spread, early, kind, overdraw), { numRuns: 25 });
  });
});

describe('what is told', () => {
  it('is the state at the end of an answer that has waited', async () => {
    const { waited, waitBeside } = await openWaiting();
    const afterPassing = async (passMs: Ms) => {
      const started = await startPhone(waited);
      const answer = await waitBeside(started, async () => {
        waited.clock.advance(passMs);
        await complete(waited, started);
      });
      return toldLimit(answer.headers);
    };
    expect(await afterPassing(20_500)).toMatchObject({ remaining: 119, resetMs: 40_000 });
    expect(await afterPassing(RATE_WINDOW_MS)).toMatchObject({ remaining: 120, resetMs: 60_000 });
  });

  it('is in answers to HEAD and of streams too', async () => {
    const { get } = newcomer();
    expect(toldLimit((await get('/user', 'HEAD')).headers).remaining).toBe(119);
    expect(toldLimit((await get('/user')).headers).remaining).toBe(118);
    const started = await startRedirect(service());
    await complete(service(), started);
    const stream = await service().get(`/status/${started.attempt_id}/events`, tokenOf(started));
    expect(stream.headers['content-type']).toContain('text/event-stream');
    expect(toldLimit(stream.headers)).toMatchObject({ policy: 'status', remaining: 119 });
  });

  it('is of each limit of requests, and where two count a request, of the one that binds', async () => {
    const poll = await ofPoll();
    expect(poll.status).toBe(400);
    expect(toldLimit(poll.headers)).toMatchObject({ policy: 'ciba-poll', remaining: 11 });
    const told = [...(await policiesOfSimulator()), ...(await policiesOfStrict()), poll];
    const names = new Set(told.map(({ headers }) => toldLimit(headers).policy));
    const all = Object.values(RATE_POLICIES).map(({ name }) => name);
    expect([...names].toSorted()).toEqual(all.toSorted());
  });
});

const start = () => strict().post('/start', { locale: 'en', national_id: AMAL }, KEY);
const push = () => posted('/openid/backchannel', { login_hint: AMAL, scope: 'openid' });

describe('the budgets of pushes', () => {
  it('are told by no answer: neither by one that was sent, nor by one that was not', async () => {
    const sent = await start();
    expect([sent.statusCode, toldLimit(sent.headers).policy]).toEqual([200, 'back-end']);
    const refused = await start();
    expect(refused.json()).toMatchObject({ code: 'push.budget_spent' });
    expect(namesOfLimits(refused.headers)).toEqual([]);
    const seconds = Number(refused.headers['retry-after']);
    strict().clock.advance(17 * SECOND_MS);
    // The same however long they last.
    expect((await start()).headers['retry-after']).toBe(String(seconds));
  });

  it('are told by no answer of OpenID either', async () => {
    const sent = await push();
    expect([sent.status, toldLimit(sent.headers).policy]).toEqual([200, 'back-end']);
    const refused = await push();
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, '60']);
    expect(namesOfLimits(refused.headers)).toEqual([]);
  });
});

const tokenOf = ({ attempt_token }: Started) => ({ 'x-provider-attempt-token': attempt_token });

/** A service in which nobody reads again by a timer, and the answer of a status that waits while something is done. */
async function openWaiting() {
  let timers = 0;
  const timer: Timer = { after: () => ((timers += 1), () => undefined) };
  const waited = await openTestService({ settings: { RATE_LIMITS: 'on' }, parts: { timer } });
  const waitBeside = async (started: Started, work: () => Promise<unknown>): Promise<Answer> => {
    const before = timers;
    const waiting = waited.get(`/status/${started.attempt_id}?wait=25`, tokenOf(started));
    // One for the end of the poll, one for the pause before the next read.
    await expect.poll(() => timers).toBeGreaterThan(before + 1);
    await work();
    return waiting;
  };
  return { waited, waitBeside };
}

/** One answer that was counted in each limit of simulator mode. */
async function policiesOfSimulator() {
  const started = await startRedirect(service());
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  const { post, get } = newcomer();
  return [
    await post('/start', '{"locale":"en"}'),
    await complete(service(), started),
    await complete(service(), await startPhone(service())),
    await post('/token/x', '{"attempt_token":"x"}'),
    await service().remove(`/attempts/${started.attempt_id}`, tokenOf(started)),
    await readStatus(service(), started),
    await readStatus(service(), { ...started, attempt_token: 'x' }),
    await post('/callback/sign-in', 'a=b', form),
    await get('/user'),
  ];
}

/** And in each of those of the other modes. */
async function policiesOfStrict() {
  const started = await startStrict(strict());
  const comeBack = await launchAndDecide(strict(), started);
  const launchable = await startStrict(strict());
  return [
    await strict().post('/start', { locale: 'en' }, KEY),
    await strict().get(`/callback?state=${launchable.attempt_id}`),
    await pressed(launchable),
    await comeBack(),
    await strict().get('/callback?state=unknown'),
  ];
}

async function pressed({ attempt_id: state }: Started): Promise<Answer> {
  const secret = 'A'.repeat(43);
  return strict().request({
    method: 'POST',
    url: `${BASE}/callback/launch`,
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      origin: STRICT.PUBLIC_URL,
    },
    payload: new URLSearchParams({ state, secret }).toString(),
  });
}

const GRANT = 'urn:openid:params:grant-type:ciba';

async function posted(path: string, form: Record<string, string>) {
  const answer = await fetch(openid().origin + path, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`portal:${PORTAL_KEY}`)}` },
    body: new URLSearchParams(form),
  });
  const body = textMembers(await answer.json());
  return { status: answer.status, headers: Object.fromEntries(answer.headers), body };
}

const textMembers = (body: unknown) => body as Record<string, string>;

/** A poll of a push, which is counted by its client's address too. */
async function ofPoll() {
  const { body } = await posted('/openid/backchannel', { login_hint: FAISAL, scope: 'openid' });
  return posted('/openid/token', { grant_type: GRANT, auth_req_id: body['auth_req_id'] ?? '' });
}
