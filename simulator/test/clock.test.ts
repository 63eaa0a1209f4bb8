import { describe, expect, it } from 'vitest';
import { MovableTime } from '../src/platform/movable-time.ts';
import { InstantTimer, makeApp, pushCall, type AppBench } from './support/apps.ts';
import { AMAL } from './support/engines.ts';
import { FakeClock } from './support/fakes.ts';

function withTime() {
  const time = new MovableTime(new FakeClock(), new InstantTimer());
  return makeApp({ time, engineParts: { clock: time.provider } });
}

const move = ({ app }: AppBench, payload: object) =>
  app.inject({ method: 'POST', url: '/simulator/clock', payload });

const stateOf = async ({ app }: AppBench) => (await app.inject('/simulator/clock')).json<object>();

const AT_START = {
  data: {
    now: '2026-01-31T09:05:00.250Z',
    frozen: false,
    movable: true,
    ahead_ms: 0,
    skew_ms: 0,
    keeps_ms: null,
  },
};

describe('the clock of the control API', () => {
  it('shows the time', async () => {
    expect(await stateOf(withTime())).toEqual(AT_START);
  });

  it('is in the header Date, the provider’s in its own answers', async () => {
    const bench = withTime();
    await move(bench, { freeze: '2030-02-28T23:59:59Z' });
    await move(bench, { skew: '-2m' });
    const dateOf = async (url: string) => (await bench.app.inject(url)).headers.date;
    expect(await dateOf('/simulator/clock')).toBe('Thu, 28 Feb 2030 23:59:59 GMT');
    expect(await dateOf('/stg/api/v1/mfa/jwk')).toBe('Thu, 28 Feb 2030 23:57:59 GMT');
    expect(await dateOf('/stg/api/nowhere')).toBe('Thu, 28 Feb 2030 23:57:59 GMT');
    expect(await dateOf('/authservice/authorize')).toBe('Thu, 28 Feb 2030 23:57:59 GMT');
  });

  it.each([
    [{ advance: '5m' }, { now: '2026-01-31T09:10:00.250Z', ahead_ms: 300_000 }],
    [{ advance: '0s' }, { ahead_ms: 0 }],
    [{ advance: '250ms' }, { now: '2026-01-31T09:05:00.500Z' }],
    [{ advance: '2h' }, { now: '2026-01-31T11:05:00.250Z' }],
    [{ advance: '30d' }, { now: '2026-03-02T09:05:00.250Z' }],
    [{ freeze: 'now' }, { now: '2026-01-31T09:05:00.250Z', frozen: true }],
    [{ freeze: '2030-02-28T23:59:59Z' }, { now: '2030-02-28T23:59:59.000Z', frozen: true }],
    [{ freeze: '2026-01-01T03:00:00.5+03:00' }, { now: '2026-01-01T00:00:00.500Z' }],
    [{ skew: '-2m' }, { now: '2026-01-31T09:05:00.250Z', skew_ms: -120_000 }],
    [{ skew: '3s' }, { skew_ms: 3000 }],
    [{ reset: true }, AT_START.data],
  ])('takes %o', async (body, expected) => {
    const answer = await move(withTime(), body);
    expect(answer.statusCode, answer.payload).toBe(200);
    expect(answer.json<{ data: object }>().data).toMatchObject(expected);
  });

  it.each([
    {},
    { advance: '5' },
    { advance: '-5m' },
    { advance: '5m', reset: true },
    { advance: 300 },
    { advance: '9999999999d' },
    { freeze: 'yesterday' },
    { freeze: '2026-02-30T12:00:00Z' },
    { freeze: '2026-01-31T25:00:00Z' },
    { freeze: '2026-13-01T00:00:00Z' },
    { freeze: '1999-12-31T00:00:00Z' },
    { freeze: '2026-01-31T09:05:00' },
    { skew: '2 m' },
    { reset: false },
    { stop: true },
  ])('says what it takes instead of %o, and stays as it was', async (body) => {
    const bench = withTime();
    const answer = await move(bench, body);
    expect(answer.statusCode).toBe(422);
    const { code, message } = answer.json<{ code: string; message: string }>();
    expect(code).toBe('validation.failed');
    for (const example of ['{"advance":"5m"}', '{"freeze":"now"}', '{"skew":"-2m"}', 'reset']) {
      expect(message).toContain(example);
    }
    expect(await stateOf(bench)).toEqual(AT_START);
  });

  it('is read only where others share the time', async () => {
    const bench = makeApp();
    const fixed = { data: { ...AT_START.data, movable: false } };
    expect(await stateOf(bench)).toEqual(fixed);
    const answer = await move(bench, { advance: '5m' });
    expect(answer.statusCode).toBe(409);
    expect(answer.json()).toMatchObject({ code: 'clock.shared' });
    expect(await stateOf(bench)).toEqual(fixed);
  });

  it('is not movable from a scope, and says so', async () => {
    const { app } = withTime();
    const headers = { 'x-miftah-scope': 'ours' };
    const answer = await app.inject({ url: '/simulator/clock', headers });
    expect(answer.json()).toMatchObject({ data: { movable: false } });
  });

  it('expires a push', async () => {
    const bench = withTime();
    await bench.app.inject(pushCall({ nationalId: AMAL, service: 'Login' }));
    expect(bench.engine.prompts()).toHaveLength(1);
    await move(bench, { advance: '1m' });
    expect(bench.engine.prompts()).toEqual([]);
  });
});
