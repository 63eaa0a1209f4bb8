import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { writeClientsFile } from '../../../scripts/rehearsal.ts';
import { BANK_KEY, CLIENTS, SHOP_KEY } from '../support/live/rehearsal.ts';
import { seriesOf, valueOf } from '../support/metrics/series.ts';
import {
  bearer,
  complete,
  startRedirect,
  startedOf,
  type Started,
} from '../support/service/login.ts';
import { BASE, openTestService, type TestService } from '../support/service/test-service.ts';
import { statusesIn, until, watch, type Watched } from '../support/service/watch-status.ts';

async function listening(settings: Record<string, string> = {}): Promise<TestService> {
  const service = await openTestService({ settings: { RATE_LIMITS: 'off', ...settings } });
  await service.app.listen({ host: '127.0.0.1', port: 0 });
  return service;
}

function clientsFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'miftah-clients-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return writeClientsFile(folder, [CLIENTS.shop, CLIENTS.bank]);
}

async function startAs(service: TestService, key: string): Promise<Started> {
  return startedOf(await service.post('/start', { locale: 'en' }, bearer(key)));
}

/** Opens streams one after the other. @returns their statuses */
async function opened(service: TestService, attempts: readonly Started[]) {
  const streams: Watched[] = [];
  for (const attempt of attempts) streams.push(await watch(service, attempt));
  return { streams, statuses: streams.map(({ response }) => response.statusCode) };
}

async function limitNamedBy({ ended, text }: Watched): Promise<unknown> {
  await ended;
  return (JSON.parse(text()) as Record<string, unknown>)['violated-policies'];
}

describe('threat 81: a client or an address that takes all places of those who wait', () => {
  test('one client leaves places to the others, and is told so', async () => {
    const places = { WAITERS_MAX: '8', WAITERS_PER_CLIENT: '2', CLIENTS_FILE: clientsFile() };
    const service = await listening(places);
    const ofShop: Started[] = [];
    for (let count = 0; count < 3; count += 1) ofShop.push(await startAs(service, SHOP_KEY));
    const { streams, statuses } = await opened(service, ofShop);
    expect(statuses).toEqual([200, 200, 429]);
    expect(streams[2]?.response.headers['retry-after']).toBe('5');
    expect(streams[2] && (await limitNamedBy(streams[2]))).toEqual(['waiters-client']);
    const other = await opened(service, [await startAs(service, BANK_KEY)]);
    expect(other.statuses).toEqual([200]);
    streams[0]?.leave();
    await expect.poll(async () => (await opened(service, ofShop.slice(2))).statuses).toEqual([200]);
  });

  test('one address leaves places to the others, and is told so', async () => {
    const service = await listening({
      WAITERS_PER_ADDRESS: '1',
      TRUSTED_PROXIES: '127.0.0.1',
      PROVIDER: 'simulator',
    });
    const [one, other] = [await startRedirect(service), await startRedirect(service)];
    const from = (attempt: Started, address: string) =>
      watch(service, attempt, { 'x-forwarded-for': address });
    expect((await from(one, '192.0.2.1')).response.statusCode).toBe(200);
    const refused = await from(other, '192.0.2.1');
    expect(refused.response.statusCode).toBe(429);
    expect(await limitNamedBy(refused)).toEqual(['waiters-address']);
    expect((await from(other, '192.0.2.2')).response.statusCode).toBe(200);
  });

  test('a long poll without a place is answered at once, for each of the limits', async () => {
    for (const name of ['WAITERS_MAX', 'WAITERS_PER_CLIENT', 'WAITERS_PER_ADDRESS']) {
      const service = await listening({ [name]: '0' });
      const started = await startRedirect(service);
      const answer = await service.get(`/status/${started.attempt_id}?wait=25`, {
        'x-provider-attempt-token': started.attempt_token,
      });
      expect(answer.json()).toMatchObject({ data: { status: 'pending' } });
    }
  });

  test('what was refused is counted by its limit', async () => {
    const service = await listening({ WAITERS_PER_CLIENT: '0' });
    await opened(service, [await startRedirect(service)]);
    expect(await numberOf(service, 'miftah_limits_hit_total', { limit: 'waiters-client' })).toBe(1);
  });
});

async function numberOf(service: TestService, name: string, labels: Record<string, string>) {
  service.clock.advance(1000);
  const { payload } = await service.request({ method: 'GET', url: '/metrics' });
  return valueOf(seriesOf(payload), name, labels);
}

interface Line {
  readonly msg: string;
  readonly route?: string;
  readonly status: number | null;
  readonly ms: number;
  readonly ended?: string;
}

function linesOf({ logLines }: TestService, route: string): Line[] {
  const lines = logLines.map((line) => JSON.parse(line) as Line);
  return lines.filter((line) => line.msg === 'request' && line.route === BASE + route);
}

const EVENTS = '/status/:attempt_id/events';
const STATUS = '/status/:attempt_id';

/** Asks for a long poll on a connection of its own. @returns what cuts it */
async function poll(service: TestService, { attempt_id, attempt_token }: Started) {
  const socket = connect((service.app.server.address() as AddressInfo).port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  socket.write(
    `GET ${BASE}/status/${attempt_id}?wait=25 HTTP/1.1\r\nHost: localhost\r\n` +
      `X-Provider-Attempt-Token: ${attempt_token}\r\n\r\n`,
  );
  await expect.poll(() => numberOf(service, 'miftah_waiters', { kind: 'poll' })).toBe(1);
  return socket;
}

describe('threat 82: streams that are opened and left, of which nothing tells', () => {
  test('each has one line when it is over, with its duration and why', async () => {
    const service = await listening();
    const [left, told] = [await startRedirect(service), await startRedirect(service)];
    const stream = await watch(service, left);
    await until(() => statusesIn(stream.text()).length === 1);
    stream.leave();
    await expect.poll(() => linesOf(service, EVENTS)).toHaveLength(1);
    const ends = await watch(service, told);
    await complete(service, told);
    await ends.ended;
    await expect.poll(() => linesOf(service, EVENTS)).toHaveLength(2);
    await watch(service, await startRedirect(service));
    await service.close();
    const lines = linesOf(service, EVENTS);
    expect(lines.map(({ status, ended }) => [status, ended])).toEqual([
      [200, 'client_left'],
      [200, 'attempt_ended'],
      [200, 'service_stopped'],
    ]);
    for (const { ms } of lines) expect(ms).toBeGreaterThan(0);
    for (const { attempt_id, attempt_token } of [left, told]) {
      const said = JSON.stringify(lines);
      expect([said.includes(attempt_id), said.includes(attempt_token)]).toEqual([false, false]);
    }
  });

  test('and so has a long poll, which was not answered when its client has left', async () => {
    const service = await listening();
    const socket = await poll(service, await startRedirect(service));
    socket.destroy();
    await expect.poll(() => linesOf(service, STATUS)).toHaveLength(1);
    expect(linesOf(service, STATUS)[0]).toMatchObject({ status: null, ended: 'client_left' });
    const answered = await startRedirect(service);
    await service.get(`/status/${answered.attempt_id}?wait=1`, {
      'x-provider-attempt-token': answered.attempt_token,
    });
    expect(linesOf(service, STATUS).slice(1)).toMatchObject([
      { status: 200, ended: 'time_passed' },
    ]);
  });

  test('those who wait are counted while they do, and when it is over', async () => {
    const service = await listening();
    const started = await startRedirect(service);
    const [stays, leaves] = [await watch(service, started), await watch(service, started)];
    expect(await numberOf(service, 'miftah_waiters', { kind: 'stream' })).toBe(2);
    leaves.leave();
    const ended = (reason: string) =>
      numberOf(service, 'miftah_waits_ended_total', { kind: 'stream', reason });
    await expect.poll(() => ended('client_left')).toBe(1);
    await complete(service, started);
    await stays.ended;
    expect(await ended('attempt_ended')).toBe(1);
    expect(await numberOf(service, 'miftah_waiters', { kind: 'stream' })).toBe(0);
    const route = { route: BASE + EVENTS, status: '2xx' };
    const count = 'miftah_http_request_duration_seconds_count';
    await expect.poll(() => numberOf(service, count, route)).toBe(2);
  });

  test('streams behind another one on their connection end with it too', async () => {
    const service = await listening();
    const socket = connect((service.app.server.address() as AddressInfo).port, '127.0.0.1');
    for (let count = 0; count < 3; count += 1) {
      const { attempt_id, attempt_token } = await startRedirect(service);
      socket.write(
        `GET ${BASE}/status/${attempt_id}/events HTTP/1.1\r\nHost: localhost\r\n` +
          `X-Provider-Attempt-Token: ${attempt_token}\r\n\r\n`,
      );
    }
    const waiting = () => numberOf(service, 'miftah_waiters', { kind: 'stream' });
    await expect.poll(waiting).toBe(3);
    socket.destroy();
    await expect.poll(waiting).toBe(0);
    expect(linesOf(service, EVENTS)).toHaveLength(3);
  });
});

describe('threat 83: a stream whose request never ends', () => {
  test.each([
    ['a stream', '/events', 'Content-Length: 5'],
    ['a stream', '/events', 'Transfer-Encoding: chunked'],
    ['a long poll', '?wait=25', 'Content-Length: 5'],
  ])('%s with a body is refused at once: %s, %s', async (_, path, header) => {
    const service = await listening();
    const { attempt_id, attempt_token } = await startRedirect(service);
    const socket = connect((service.app.server.address() as AddressInfo).port, '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    let received = '';
    socket.setEncoding('utf8').on('data', (text: string) => (received += text));
    socket.write(
      `GET ${BASE}/status/${attempt_id}${path} HTTP/1.1\r\nHost: localhost\r\n` +
        `X-Provider-Attempt-Token: ${attempt_token}\r\n${header}\r\n\r\n`,
    );
    await expect.poll(() => received).toContain('request.content_unexpected');
    expect(received).toMatch(/^HTTP\/1\.1 400 /);
  });

  test('an empty one is none', async () => {
    const service = await listening();
    const stream = await watch(service, await startRedirect(service), { 'content-length': '0' });
    expect(stream.response.statusCode).toBe(200);
  });
});
