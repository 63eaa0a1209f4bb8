import { describe, expect, it } from 'vitest';
import type { HostedAttempts } from '../src/hosted.ts';
import { systemTimer } from '../src/platform/platform.ts';
import { makeApp, pushCall, sessionCall, type AppBench } from './support/apps.ts';
import { AMAL, REQUEST_ID } from './support/engines.ts';

interface Waited {
  readonly data: { reached: boolean; status: string | null; prompt: { id: string } | null };
}

const waitFor = ({ app }: AppBench, query: Record<string, string>) =>
  app.inject({ url: '/simulator/wait', query });

const sendPush = ({ app }: AppBench) =>
  app.inject(pushCall({ nationalId: AMAL, service: 'Login' }));

/** An attempt that has each of these states for one look. */
function attemptIn(...states: string[]): HostedAttempts {
  return {
    list: () => Promise.resolve([]),
    find: () => Promise.resolve(null),
    isKey: () => true,
    originOf: () => Promise.resolve({ application: null, place: null }),
    replay: () => Promise.resolve({ ok: false, reason: 'attempt.not_found', headers: {} }),
    stateOf: (id) => Promise.resolve(id === 'known' ? (states.shift() ?? 'pending') : null),
  };
}

describe('GET /simulator/wait', () => {
  it('finds a prompt that is there, by its request and by its person', async () => {
    const bench = makeApp();
    await sendPush(bench);
    const [prompt] = bench.engine.prompts();
    for (const query of [{ attempt_id: REQUEST_ID }, { national_id: AMAL }]) {
      const answer = await waitFor(bench, { until: 'prompt', ...query });
      const { data } = answer.json<Waited>();
      expect(data).toMatchObject({ reached: true, status: null, prompt: { id: prompt?.id } });
    }
    expect(bench.timer.waits).toEqual([]);
  });

  it('finds any prompt, and any of one kind', async () => {
    const bench = makeApp();
    await bench.app.inject(sessionCall());
    const find = async (query: Record<string, string>) => {
      const answer = await waitFor(bench, { until: 'prompt', timeout: '0', ...query });
      return answer.json<{ data: { prompt: { kind: string } | null } }>().data.prompt?.kind;
    };
    expect([await find({}), await find({ kind: 'push' })]).toEqual(['redirect', undefined]);
    await sendPush(bench);
    expect(await find({ kind: 'push' })).toBe('push');
    expect(await find({ kind: 'redirect', national_id: AMAL })).toBeUndefined();
  });

  it('waits for one that comes', async () => {
    const bench = makeApp({ timer: systemTimer });
    const waiting = waitFor(bench, { until: 'prompt', national_id: AMAL });
    await bench.app.inject(sessionCall());
    await sendPush(bench);
    expect((await waiting).json<Waited>().data).toMatchObject({ reached: true });
  });

  it.each([
    [{}, 10_000],
    [{ timeout: '0' }, 0],
    [{ timeout: '3' }, 3000],
    [{ timeout: '30' }, 30_000],
  ])('says so when none has come: %o', async (query, waited) => {
    const bench = makeApp();
    const answer = await waitFor(bench, { until: 'prompt', national_id: AMAL, ...query });
    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toEqual({ data: { reached: false, status: null, prompt: null } });
    expect(bench.timer.waits.reduce((sum, ms) => sum + ms, 0)).toBe(waited);
  });

  it.each([
    ['authenticated', ['pending', 'pending', 'authenticated'], true, 'authenticated'],
    ['authenticated', ['redeemed'], true, 'redeemed'],
    ['rejected', ['pending', 'rejected'], true, 'rejected'],
    ['expired', ['expired'], true, 'expired'],
    ['failed', ['failed'], true, 'failed'],
    ['authenticated', ['pending', 'rejected', 'authenticated'], false, 'rejected'],
    ['rejected', [], false, 'pending'],
  ])('waits for %s where an attempt is %o', async (until, states, reached, status) => {
    const bench = makeApp({ attempts: attemptIn(...states) });
    const answer = await waitFor(bench, { until, attempt_id: 'known' });
    expect(answer.json()).toEqual({ data: { reached, status, prompt: null } });
  });

  it.each([
    [{}, 422, 'validation.failed'],
    [{ until: 'prompt', kind: 'letter' }, 422, 'validation.failed'],
    [{ until: 'failed' }, 422, 'validation.failed'],
    [{ until: 'failed', attempt_id: 'known', kind: 'push' }, 422, 'validation.failed'],
    [{ until: 'prompt', attempt_id: 'known', national_id: AMAL }, 422, 'validation.failed'],
    [{ until: 'rejected', national_id: AMAL }, 422, 'validation.failed'],
    [{ until: 'redeemed', attempt_id: 'known' }, 422, 'validation.failed'],
    [{ until: 'prompt', attempt_id: 'known', timeout: '31' }, 422, 'validation.failed'],
    [{ until: 'prompt', attempt_id: 'known', timeout: '1.5' }, 422, 'validation.failed'],
    [{ until: 'failed', attempt_id: 'unknown' }, 404, 'attempt.not_found'],
  ])('refuses %o', async (query, status, code) => {
    const answer = await waitFor(makeApp({ attempts: attemptIn() }), query);
    expect(answer.statusCode).toBe(status);
    expect(answer.json()).toMatchObject({ code });
    if (status === 422) {
      expect(answer.json<{ message: string }>().message).toContain(
        'until is prompt, authenticated',
      );
    }
  });

  it('sends who waits for an attempt to the service that has it', async () => {
    const answer = await waitFor(makeApp(), { until: 'failed', attempt_id: 'known' });
    expect(answer.statusCode).toBe(409);
    expect(answer.json()).toMatchObject({ code: 'attempts.elsewhere' });
  });
});

it('the list of attempts is that of the service in this process, and bounded', async () => {
  const asked: unknown[] = [];
  const attempts: HostedAttempts = {
    ...attemptIn(),
    list: (scope, part) => Promise.resolve(void asked.push(scope, part)).then(() => []),
  };
  const { app } = makeApp({ attempts });
  const headers = { 'x-miftah-scope': 'worker-7' };
  await app.inject({ url: '/simulator/attempts?limit=200', headers });
  expect((await app.inject('/simulator/attempts')).json()).toEqual({ data: [] });
  const newest = { before: null };
  expect(asked).toEqual([
    'worker-7',
    { ...newest, limit: 200 },
    'default',
    { ...newest, limit: 50 },
  ]);
});
