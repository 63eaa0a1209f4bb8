import { describe, expect, test } from 'vitest';
import { clientOf, watchedFetch } from '../support/client/client-for-test.ts';
import { shareListeningService } from '../support/service/listening-service.ts';
import { openMeddler, type Meddling } from '../support/client/meddler.ts';
import { decideOnPhone } from '../support/client/person.ts';
import { startServiceForTest } from '../support/programs/for-test.ts';
import { findFreePort } from '../support/programs/service-process.ts';
import { AMAL, FAISAL } from '../support/service/login.ts';

const service = shareListeningService();
const EVENTS = 'GET /status/events';
const LONG_POLL = 'GET /status?wait=25';

const noRoute = {
  status: 404,
  headers: { 'content-type': 'application/problem+json' },
  body: JSON.stringify({ code: 'route.not_found', detail: 'There is nothing.' }),
};
const noPlace = {
  status: 429,
  headers: { 'content-type': 'application/problem+json', 'retry-after': '5' },
  body: JSON.stringify({ code: 'stream.limit_reached', detail: 'No place.' }),
};

/** Waits behind a proxy; the person approves as soon as `asked` has come. */
async function waitBehind(asked: string, meddle: (asked: string, index: number) => Meddling) {
  const meddler = await openMeddler(service(), meddle);
  const attempt = await clientOf(meddler).start({ locale: 'en', nationalId: AMAL });
  const waited = attempt.waitForResult();
  await expect.poll(() => meddler.came).toContain(asked);
  await decideOnPhone(service(), attempt);
  return { end: await waited, came: meddler.came.slice(1) };
}

describe('a wait', () => {
  test('C-7 is one request where streams come through', async () => {
    const { end, came } = await waitBehind(EVENTS, () => 'pass');
    expect(end.status).toBe('authenticated');
    expect(came).toEqual([EVENTS]);
  });

  test.each([
    ['a proxy that buffers', 'hold'],
    ['a service with no place for a stream', noPlace],
    ['a proxy that has another answer', { status: 200, body: '<p>welcome</p>' }],
  ] as const)('C-8 goes on by long poll behind %s', async (_, meddling) => {
    const { end, came } = await waitBehind(LONG_POLL, (asked) =>
      asked === EVENTS ? meddling : 'pass',
    );
    expect(end.status).toBe('authenticated');
    expect(came).toEqual([EVENTS, LONG_POLL]);
  });

  test('C-8 goes on by polls at an older service, two seconds apart', async () => {
    const pending = { status: 200, body: '' };
    const { end, came } = await waitBehind(LONG_POLL, (asked, index) => {
      if (asked === EVENTS) return noRoute;
      if (asked === LONG_POLL && index === 0) return { ...pending, body: statusBody('pending') };
      return 'pass';
    });
    expect(end.status).toBe('authenticated');
    expect(came).toEqual([EVENTS, LONG_POLL, LONG_POLL]);
  });

  test('C-9 survives a restart of the service', async () => {
    const port = await findFreePort();
    const first = await startServiceForTest({ port });
    const { sent, fetch } = watchedFetch();
    const attempt = await clientOf(first, { fetch }).start({ locale: 'en', nationalId: AMAL });
    const waited = attempt.waitForResult();
    await expect.poll(() => sent).toContain('GET /status/ID/events');
    await first.kill();
    const second = await startServiceForTest({ port, dataDir: first.dataDir });
    await decideOnPhone(second, attempt);
    expect((await waited).status).toBe('authenticated');
  });

  test('C-10 waits as long as Retry-After says', async () => {
    const busy = { status: 503, headers: { 'retry-after': '3' }, body: 'busy' };
    const before = performance.now();
    const { end } = await waitBehind(EVENTS, (asked, index) =>
      asked === EVENTS && index === 0 ? busy : 'pass',
    );
    expect(end.status).toBe('authenticated');
    expect(performance.now() - before).toBeGreaterThan(3_000);
  });

  test('C-11 ends with the signal, and asks nothing more', async () => {
    const { sent, fetch } = watchedFetch();
    const attempt = await clientOf(service(), { fetch }).start({ locale: 'en' });
    const control = new AbortController();
    const waited = attempt.waitForResult({ signal: control.signal });
    await expect.poll(() => sent).toContain('GET /status/ID/events');
    control.abort();
    await expect(waited).rejects.toMatchObject({ name: 'MiftahError', code: 'client.aborted' });
    const { signal } = control;
    await expect(attempt.waitForResult({ signal })).rejects.toMatchObject({
      code: 'client.aborted',
    });
    expect(sent).toEqual(['POST /start', 'GET /status/ID/events']);
  });

  test('C-11 ends after its time', async () => {
    const attempt = await clientOf(service()).start({ locale: 'en' });
    await expect(attempt.waitForResult({ timeout: 100 })).rejects.toMatchObject({
      code: 'client.timeout',
    });
    expect((await attempt.status()).status).toBe('pending');
  });

  test('C-11 ends at once for an attempt that is not there', async () => {
    const client = clientOf(service());
    const [one, other] = [await client.start({ locale: 'en' }), client];
    const kept = { ...JSON.parse(one.export()), token: 'x'.repeat(64) } as object;
    await expect(other.resume(JSON.stringify(kept)).waitForResult()).rejects.toMatchObject({
      code: 'attempt.not_found',
      status: 404,
    });
  });

  test('C-11 tells the end of an attempt that has ended', async () => {
    const client = clientOf(service());
    const attempt = await client.start({ locale: 'en', nationalId: FAISAL });
    await decideOnPhone(service(), attempt, 'refuse');
    expect((await attempt.waitForResult()).status).toBe('rejected');
    expect((await attempt.waitForResult()).status).toBe('rejected');
  });
});

function statusBody(status: string): string {
  const data = { attempt_id: 'a', status, provider_status: 'PENDING', message: null, user: null };
  return JSON.stringify({ data });
}
