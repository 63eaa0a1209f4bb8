import { performance } from 'node:perf_hooks';
import { expect, it, vi } from 'vitest';
import { ATTEMPT_LIFETIME_MS } from '../../attempt/attempt.ts';
import { SECOND_MS } from '../../values/time.ts';
import { createMeter, OpenAttempts } from './meter.ts';

const ATTEMPT = { flow: 'mfa', createdAt: 1_000_000 } as const;
const READY = { now: 1_000_000, isReady: true, isStoreReady: true, aheadMs: 0 };

const newMeter = () => createMeter({ mode: 'live', version: '1.2.3' });

function linesOf(text: string, start: string): string[] {
  return text.split('\n').filter((line) => line.startsWith(start));
}

it('durations are counted in every bucket that is long enough', async () => {
  const meter = newMeter();
  const route = meter.route('GET', '/a/:id');
  for (const ms of [0.5, 1, 1.1, 20_000]) route.observe(200, ms);
  route.observe(404, 3);
  const text = await meter.render(READY);
  const labels = 'method="GET",route="/a/:id",status="2xx"';
  const name = 'miftah_http_request_duration_seconds';
  expect(linesOf(text, name).filter((line) => line.includes('2xx'))).toEqual([
    `${name}_bucket{${labels},le="0.001"} 2`,
    `${name}_bucket{${labels},le="0.0025"} 3`,
    ...['0.005', '0.01', '0.025', '0.05', '0.1', '0.25', '0.5', '1', '2.5', '5', '10'].map(
      (bound) => `${name}_bucket{${labels},le="${bound}"} 3`,
    ),
    `${name}_bucket{${labels},le="+Inf"} 4`,
    `${name}_sum{${labels}} ${20_002.6 / 1000}`,
    `${name}_count{${labels}} 4`,
  ]);
  expect(text).toContain(`${name}_count{method="GET",route="/a/:id",status="4xx"} 1`);
});

it('the pattern of a route is written as the text format asks', async () => {
  const meter = newMeter();
  meter.route('GET', '/a"b\\c\nd').observe(200, 1);
  expect(await meter.render(READY)).toContain(String.raw`route="/a\"b\\c\nd"`);
});

it('an attempt that ends in no other way has expired', async () => {
  const meter = newMeter();
  for (let times = 0; times < 3; times += 1) meter.signIn('started', ATTEMPT);
  meter.signIn('authenticated', ATTEMPT);
  meter.signIn('redeemed', ATTEMPT);
  meter.signIn('failed', ATTEMPT, 'provider.timeout');
  const text = await meter.render({ ...READY, now: READY.now + 2 * ATTEMPT_LIFETIME_MS });
  const phone = linesOf(text, 'miftah_sign_ins_total').filter((line) => line.includes('mfa'));
  expect(phone.filter((line) => !line.endsWith(' 0'))).toEqual([
    'miftah_sign_ins_total{mode="live",flow="mfa",step="started"} 3',
    'miftah_sign_ins_total{mode="live",flow="mfa",step="authenticated"} 1',
    'miftah_sign_ins_total{mode="live",flow="mfa",step="redeemed"} 1',
    'miftah_sign_ins_total{mode="live",flow="mfa",step="expired"} 1',
    'miftah_sign_ins_total{mode="live",flow="mfa",step="failed",reason="provider.timeout"} 1',
  ]);
});

it('a text is given again within a second, and made anew after it or a step back', async () => {
  const meter = newMeter();
  const first = await meter.render(READY);
  meter.count('push_mismatch_total');
  expect(await meter.render({ ...READY, now: READY.now + 999 })).toBe(first);
  const later = await meter.render({ ...READY, now: READY.now + 1000 });
  expect(later).toContain('\npush_mismatch_total 1\n');
  meter.count('push_mismatch_total');
  expect(await meter.render(READY)).toContain('\npush_mismatch_total 2\n');
});

it('what the service is like at the moment is read with the numbers', async () => {
  const meter = newMeter();
  meter.commitBegins()(3);
  meter.storeConnections({ open: 8, inUse: 3, waiting: 2, reconnects: 4 });
  meter.providerCall({ operation: 'push', refusal: 'provider.timeout', durationMs: 5000 });
  meter.providerBreaker('push', true);
  const text = await meter.render({ ...READY, isReady: false, aheadMs: 31_000 });
  for (const line of [
    'miftah_build_info{mode="live",version="1.2.3"} 1',
    'miftah_ready 0',
    'miftah_store_ready 1',
    'miftah_clock_ahead_seconds 31',
    'miftah_store_commit_units_bucket{le="4"} 1',
    'miftah_store_commit_duration_seconds_count 1',
    'miftah_store_commit_duration_seconds_bucket{le="1"} 1',
    'miftah_store_connections{state="in_use"} 3',
    'miftah_store_connections{state="idle"} 5',
    'miftah_store_waiting 2',
    'miftah_store_reconnects_total 4',
    'miftah_provider_calls_total{operation="push",outcome="provider.timeout"} 1',
    'miftah_provider_call_duration_seconds_sum{operation="push"} 5',
    'miftah_provider_breaker_open{operation="push"} 1',
  ]) {
    expect(text.split('\n')).toContain(line);
  }
});

it('transactions that are under way at once have each their own duration', async () => {
  const now = vi.spyOn(performance, 'now');
  const meter = newMeter();
  now.mockReturnValue(1000);
  const first = meter.commitBegins();
  now.mockReturnValue(3000);
  const second = meter.commitBegins();
  now.mockReturnValue(3500);
  second(1);
  now.mockReturnValue(5000);
  first(1);
  now.mockRestore();
  const name = 'miftah_store_commit_duration_seconds';
  const text = await meter.render(READY);
  expect(linesOf(text, `${name}_sum`)).toEqual([`${name}_sum 4.5`]);
  expect(linesOf(text, `${name}_bucket{le="1"}`)).toEqual([`${name}_bucket{le="1"} 1`]);
});

const START = 1_000_000 * SECOND_MS;

function openAttempts() {
  const expired = { oidc: 0, mfa: 0 };
  const open = new OpenAttempts((flow, count) => (expired[flow] += count));
  return { expired, open };
}

it('an attempt that has not ended is counted once, after its lifetime', () => {
  const { expired, open } = openAttempts();
  open.begin({ flow: 'mfa', createdAt: START });
  open.expireUntil(START + ATTEMPT_LIFETIME_MS);
  expect(expired).toEqual({ oidc: 0, mfa: 0 });
  for (let second = 1; second < 4; second += 1) {
    open.expireUntil(START + ATTEMPT_LIFETIME_MS + second * SECOND_MS);
  }
  expect(expired).toEqual({ oidc: 0, mfa: 1 });
});

it('one that has ended is not, also when its end is told twice or its start was missed', () => {
  const { expired, open } = openAttempts();
  const ended = { flow: 'oidc', createdAt: START } as const;
  open.end(ended);
  open.begin(ended);
  open.begin({ ...ended, createdAt: START + 999 });
  for (let times = 0; times < 3; times += 1) open.end(ended);
  open.begin({ ...ended, createdAt: START + SECOND_MS });
  open.expireUntil(START + 2 * ATTEMPT_LIFETIME_MS);
  expect(expired).toEqual({ oidc: 1, mfa: 0 });
});

it('starts alone count what has expired before them, so nothing piles up without a reader', () => {
  const { expired, open } = openAttempts();
  for (let second = 0; second < 1000; second += 1) {
    open.begin({ flow: 'mfa', createdAt: START + second * SECOND_MS });
  }
  expect(expired.mfa).toBe(1000 - ATTEMPT_LIFETIME_MS / SECOND_MS - 1);
});
