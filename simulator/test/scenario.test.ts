import { describe, expect, it } from 'vitest';
import { redirectTargetOf } from '../src/engine/outcomes/outcome-reach.ts';
import { OUTCOMES } from '../src/engine/outcomes/outcomes.ts';
import { makeApp, pushCall, sessionCall, type AppBench } from './support/apps.ts';
import { AMAL } from './support/engines.ts';
import { openSession } from './support/sign-in.ts';

/** What a test chooses at area B: by a header of the request, and by the queue of its scope. */

const NEXT = '/simulator/next';
const push = (requestId: string) =>
  pushCall({ nationalId: AMAL, service: 'Login' }, { local: 'en', requestId });

function ask({ app }: AppBench, call: object, headers: Record<string, string> = {}) {
  return app.inject({ ...call, headers });
}

function queue({ app }: AppBench, payload: object, headers: Record<string, string> = {}) {
  return app.inject({ method: 'POST', url: NEXT, payload, headers });
}

async function queued({ app }: AppBench, headers: Record<string, string> = {}) {
  return (await app.inject({ url: NEXT, headers })).json<{ data: unknown }>().data;
}

/** How the prompt of a request has ended by now. */
function endOf({ engine }: AppBench, requestId: string, scope?: string) {
  const prompt = engine.promptFor('push', requestId, scope);
  return prompt === null ? null : engine.stateOf(prompt).state;
}

describe('X-Simulate at area B', () => {
  it('chooses the end of a push, and when it comes', async () => {
    const bench = makeApp();
    await ask(bench, push('one'), { 'x-simulate': 'refuses; after=3' });
    expect(endOf(bench, 'one')).toBe('waiting');
    bench.clock.advance(3000);
    expect(endOf(bench, 'one')).toBe('rejected');
  });

  it('chooses the answer to a session request', async () => {
    const bench = makeApp();
    const answer = async (key: string) => {
      const { statusCode, body } = await ask(bench, sessionCall(), { 'x-simulate': key });
      return [statusCode, body.slice(0, 8)];
    };
    expect(await answer('gateway_refuses')).toEqual([403, 'Authenti']);
    expect(await answer('provider_error_500')).toEqual([500, 'Internal']);
    expect(await answer('provider_down_503')).toEqual([503, '<!doctyp']);
    const [status, text] = await answer('broken_json');
    expect([status, text]).toEqual([200, '{"id":nu']);
    expect(bench.engine.prompts()).toHaveLength(1);
  });

  it.each([
    ['wrong_number', 'approves_at_once, '],
    ['no_such', 'approves_at_once, '],
    ['never_answers;after=1', 'from 0 to 300'],
  ])('%s is refused for a session, with what is allowed', async (value, allowed) => {
    const answer = await ask(makeApp(), sessionCall(), { 'x-simulate': value });
    expect(answer.statusCode).toBe(422);
    expect(answer.json()).toMatchObject({ code: 'validation.failed' });
    expect(answer.json<{ message: string }>().message).toContain(allowed);
  });

  it('chooses what the person does on the page, when it is open', async () => {
    const bench = makeApp();
    bench.engine.next.add('default', { key: 'approves_at_once', afterMs: 10_000 });
    const { page } = await openSession(bench.app);
    const waiting = await bench.app.inject(page);
    expect(waiting.headers['refresh']).toBe('10');
    expect(bench.engine.prompts()).toHaveLength(1);
    bench.clock.advance(10_000);
    expect(bench.engine.prompts()).toHaveLength(1);
    const over = await bench.app.inject(page);
    expect(over.statusCode).toBe(200);
    expect(over.body).toContain('name="id_token"');
    expect(bench.engine.prompts()).toEqual([]);
  });
});

describe('POST /simulator/next', () => {
  it('gives an outcome to exactly one request, the oldest first', async () => {
    const bench = makeApp({ engineSettings: { oneActive: false } });
    await queue(bench, { outcome: 'refuses' });
    await queue(bench, { outcome: 'approves_at_once', after: 0 });
    expect(await queued(bench)).toEqual([
      { outcome: 'refuses', after: null },
      { outcome: 'approves_at_once', after: 0 },
    ]);
    for (const id of ['one', 'two', 'three']) await ask(bench, push(id));
    expect(['one', 'two', 'three'].map((id) => endOf(bench, id))).toEqual([
      'rejected',
      'approved',
      'waiting',
    ]);
    expect(await queued(bench)).toEqual([]);
  });

  it('loses to a header, which leaves it alone', async () => {
    const bench = makeApp();
    await queue(bench, { outcome: 'refuses' });
    await ask(bench, push('one'), { 'x-simulate': 'approves_at_once' });
    expect(endOf(bench, 'one')).toBe('approved');
    expect(await queued(bench)).toHaveLength(1);
  });

  it('belongs to a scope', async () => {
    const bench = makeApp({ engineSettings: { oneActive: false } });
    const scope = { 'x-miftah-scope': 'one' };
    await queue(bench, { outcome: 'refuses' }, scope);
    expect(await queued(bench)).toEqual([]);
    await ask(bench, push('other'));
    await ask(bench, push('mine'), scope);
    expect(endOf(bench, 'other')).toBe('waiting');
    expect(endOf(bench, 'mine', 'one')).toBe('rejected');
  });

  it('keeps what does not apply to a sign-in by browser for the next push', async () => {
    const bench = makeApp();
    await queue(bench, { outcome: 'wrong_number' });
    await queue(bench, { outcome: 'gateway_refuses' });
    expect((await ask(bench, sessionCall())).statusCode).toBe(403);
    expect(await queued(bench)).toEqual([{ outcome: 'wrong_number', after: null }]);
    await ask(bench, push('one'));
    expect(endOf(bench, 'one')).toBe('rejected');
  });

  it('gives a session that is asked for again what it gave before, and nothing more', async () => {
    const bench = makeApp();
    await queue(bench, { outcome: 'provider_down_503' });
    expect((await ask(bench, sessionCall())).statusCode).toBe(503);
    expect((await ask(bench, sessionCall())).statusCode).toBe(503);
    expect((await ask(bench, sessionCall({ requestId: 'other' }))).statusCode).toBe(200);
    await queue(bench, { outcome: 'provider_down_503' });
    expect((await ask(bench, sessionCall({ requestId: 'other' }))).statusCode).toBe(200);
    expect(await queued(bench)).toHaveLength(1);
  });

  it('is emptied by DELETE and by a reset', async () => {
    const bench = makeApp();
    for (const url of [NEXT, '/simulator/reset']) {
      await queue(bench, { outcome: 'refuses' });
      const method = url === NEXT ? 'DELETE' : 'POST';
      expect((await bench.app.inject({ method, url })).statusCode).toBe(200);
      expect(await queued(bench)).toEqual([]);
    }
  });

  it.each([
    [{}, 'The body is {"outcome":"refuses"}'],
    [{ outcome: 'refuse' }, '/outcome: must be one of approves_at_once, '],
    [{ outcome: 'never_answers', after: 3 }, '/after: must be 0 to 300, with one of '],
    [{ outcome: 'refuses', after: 301 }, 'The body is {"outcome":"refuses"}'],
    [{ outcome: 'refuses', after: 0.5 }, 'The body is {"outcome":"refuses"}'],
    [{ outcome: 'refuses', more: 1 }, 'The body is {"outcome":"refuses"}'],
  ])('refuses %j, and says what is allowed', async (body, allowed) => {
    const bench = makeApp();
    const answer = await queue(bench, body);
    expect(answer.statusCode).toBe(422);
    expect(answer.json<{ message: string }>().message).toContain(allowed);
    expect(await queued(bench)).toEqual([]);
  });

  it('has an end, and says how to go on', async () => {
    const bench = makeApp();
    for (let one = 0; one < 100; one += 1) {
      expect((await queue(bench, { outcome: 'refuses' })).statusCode).toBe(200);
    }
    const full = await queue(bench, { outcome: 'refuses' });
    expect(full.statusCode).toBe(409);
    expect(full.json()).toMatchObject({ code: 'next.full' });
    expect(await queued(bench)).toHaveLength(100);
  });

  it('can not be used by a page of another site', async () => {
    const bench = makeApp();
    const origin = { origin: 'https://elsewhere.example.test' };
    expect((await queue(bench, { outcome: 'refuses' }, origin)).statusCode).toBe(403);
    expect(await queued(bench)).toEqual([]);
  });
});

describe('GET /simulator/outcomes', () => {
  it('says what each outcome acts on in each flow, and whether it can be told when', async () => {
    const answer = await makeApp().app.inject('/simulator/outcomes');
    const { data } = answer.json<{ data: { key: string; redirect: unknown }[] }>();
    expect(data.map(({ key, redirect }) => [key, redirect])).toEqual(
      OUTCOMES.map((outcome) => [outcome.key, redirectTargetOf(outcome)]),
    );
    const row = (key: string) => data.find((one) => one.key === key);
    expect(row('refuses')).toMatchObject({ push: 'phone', redirect: 'page', after: true });
    expect(row('never_answers')).toMatchObject({ push: 'phone', redirect: 'page', after: false });
    expect(row('slow_answer')).toMatchObject({ push: 'answer', redirect: 'answer', after: false });
    expect(row('unknown_record')).toMatchObject({ push: 'answer', redirect: null, after: false });
    expect(row('token_expired')).toMatchObject({ push: 'result', redirect: 'result', after: true });
    expect(row('callback_twice')).toMatchObject({ push: 'result', redirect: null, after: true });
  });
});
