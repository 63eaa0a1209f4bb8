import { describe, expect, it } from 'vitest';
import { ATTEMPT_LIFETIME_MS } from '../../src/attempt/attempt.ts';
import { SECOND_MS } from '../../src/values/time.ts';
import {
  complete,
  postSignIn,
  readStatus,
  redeem,
  startCompleted,
  startPhone,
  startRedirect,
} from '../support/service/login.ts';
import { seriesOf, valueOf, type Series } from '../support/metrics/series.ts';
import {
  openTestService,
  shareService,
  type TestService,
} from '../support/service/test-service.ts';

const service = shareService();

async function read(from: TestService): Promise<Series[]> {
  // A text of the last second is given again.
  from.clock.advance(SECOND_MS);
  const { payload } = await from.request({ method: 'GET', url: '/metrics' });
  return seriesOf(payload);
}

/** How much each series has grown. */
async function growthOf(work: () => Promise<unknown>) {
  const before = await read(service());
  await work();
  const after = await read(service());
  return (name: string, labels: Readonly<Record<string, string>> = {}) =>
    valueOf(after, name, labels) - valueOf(before, name, labels);
}

describe('GET /metrics', () => {
  it('has the form that Prometheus reads', async () => {
    const { statusCode, headers, payload } = await service().request({
      method: 'GET',
      url: '/metrics',
    });
    expect(statusCode).toBe(200);
    expect(headers['content-type']).toMatch(/^text\/plain; version=/);
    expect(payload).toContain('# TYPE push_suppressed_total counter\npush_suppressed_total 0\n');
    expect(payload).toMatch(/^nodejs_eventloop_lag_seconds \S+$/m);
    expect(payload).toMatch(/^process_resident_memory_bytes \d+$/m);
    expect(payload).toMatch(/^miftah_ready 1$/m);
  });

  it('counts the steps of sign-ins in both flows', async () => {
    const grown = await growthOf(async () => {
      await redeem(service(), await startCompleted(service(), 'phone'));
      await startCompleted(service(), 'redirect');
      const refused = await startRedirect(service());
      await postSignIn(service(), {
        state: refused.attempt_id,
        person: 'amal',
        decision: 'refuse',
      });
      const left = await startPhone(service());
      service().clock.advance(ATTEMPT_LIFETIME_MS + SECOND_MS);
      await readStatus(service(), left);
      await readStatus(service(), left);
    });
    const step = (flow: string, name: string) =>
      grown('miftah_sign_ins_total', { mode: 'simulator', flow, step: name });
    expect(
      ['started', 'authenticated', 'redeemed', 'expired'].map((name) => step('mfa', name)),
    ).toEqual([2, 1, 1, 1]);
    const steps = ['started', 'authenticated', 'redeemed', 'rejected', 'expired'];
    expect(steps.map((name) => step('oidc', name))).toEqual([2, 1, 0, 1, 1]);
    expect(grown('miftah_sign_ins_total', { step: 'rejected', reason: 'attempt.rejected' })).toBe(
      1,
    );
  });

  it('counts an end once, however often it is asked for', async () => {
    const grown = await growthOf(async () => {
      const started = await startCompleted(service());
      await complete(service(), started);
      const key = { 'idempotency-key': 'a key of this test alone' };
      await redeem(service(), started, {}, key);
      await redeem(service(), started, {}, key);
      await redeem(service(), started);
    });
    expect(grown('miftah_sign_ins_total', { step: 'authenticated' })).toBe(1);
    expect(grown('miftah_sign_ins_total', { step: 'redeemed' })).toBe(1);
  });

  it('measures requests by the pattern of their route, and unknown ones together', async () => {
    const grown = await growthOf(async () => {
      const started = await startPhone(service());
      await readStatus(service(), started);
      await readStatus(service(), { ...started, attempt_token: 'x' });
      await service().request({ method: 'GET', url: '/no/such/1000001101' });
      await service().request({ method: 'PUT', url: '/also?not=there' });
    });
    const count = (labels: Record<string, string>) =>
      grown('miftah_http_request_duration_seconds_count', labels);
    const status = { method: 'GET', route: '/api/v1/status/:attempt_id' };
    expect(count({ ...status, status: '2xx' })).toBe(1);
    expect(count({ ...status, status: '4xx' })).toBe(1);
    expect(count({ method: 'any', route: 'unknown', status: '4xx' })).toBe(2);
  });

  it('measures how many writes share a transaction', async () => {
    const grown = await growthOf(async () => {
      await Promise.all(Array.from({ length: 10 }, () => startPhone(service())));
    });
    expect(grown('miftah_store_commit_units_sum')).toBeGreaterThanOrEqual(10);
    const commits = grown('miftah_store_commit_units_count');
    expect(commits).toBeGreaterThanOrEqual(1);
    expect(grown('miftah_store_commit_duration_seconds_count')).toBe(commits);
    expect(grown('miftah_store_commit_duration_seconds_sum')).toBeGreaterThan(0);
  });

  it('counts what a limit has refused, by the name of the limit', async () => {
    const limited = await openTestService();
    for (let times = 0; times < 22; times += 1) await limited.post('/start', { locale: 'en' });
    const series = await read(limited);
    expect(valueOf(series, 'miftah_limits_hit_total', { limit: 'start' })).toBe(2);
    expect(valueOf(series, 'miftah_limits_hit_total')).toBe(2);
  });
});
