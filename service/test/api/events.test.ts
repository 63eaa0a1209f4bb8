import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import { ATTEMPT_LIFETIME_MS } from '../../src/attempt/attempt.ts';
import { createMemoryStore } from '../../src/store/index.ts';
import {
  complete,
  expectProblem,
  redeem,
  startCompleted,
  startPhone,
  startRedirect,
  type Started,
} from '../support/service/login.ts';
import { BASE, openTestService, type TestService } from '../support/service/test-service.ts';
import { statusesIn, until, watch } from '../support/service/watch-status.ts';

async function listening(settings: Record<string, string> = {}): Promise<TestService> {
  const service = await openTestService({ settings });
  await service.app.listen({ host: '127.0.0.1', port: 0 });
  return service;
}

describe('a stream of events', () => {
  test('of an attempt that has ended needs no place', async () => {
    const service = await listening({ WAITERS_MAX: '0' });
    const stream = await watch(service, await startCompleted(service));
    await stream.ended;
    expect(statusesIn(stream.text())).toEqual(['authenticated']);
  });

  test('begins with the status, and ends with the event that the attempt has ended', async () => {
    const service = await listening();
    const started = await startRedirect(service);
    const stream = await watch(service, started);
    await until(() => statusesIn(stream.text()).length === 1);
    await complete(service, started);
    await stream.ended;
    expect(statusesIn(stream.text())).toEqual(['pending', 'authenticated']);
    expect(stream.text().match(/^id: .*$/gm)).toEqual(['id: 1', 'id: 2']);
    expect(stream.text()).toMatch(/^retry: 2000\n\nevent: status\n/);
  });

  test('has the headers of every answer, and tells proxies not to keep it', async () => {
    const service = await listening();
    const { response } = await watch(service, await startRedirect(service));
    expect(response.statusCode).toBe(200);
    expect(response.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
      'x-auth-mode': 'simulator',
      'x-ratelimit-remaining': '119',
    });
  });

  test('of an attempt that has ended has one event; who has seen it gets 204', async () => {
    const service = await listening();
    const started = await startCompleted(service);
    const stream = await watch(service, started);
    await stream.ended;
    expect(statusesIn(stream.text())).toEqual(['authenticated']);
    const again = await watch(service, started, { 'last-event-id': '2' });
    expect(again.response.statusCode).toBe(204);
  });

  test('does not repeat the event that a client has seen', async () => {
    const service = await listening();
    const started = await startRedirect(service);
    const stream = await watch(service, started, { 'last-event-id': '1' });
    await complete(service, started);
    await stream.ended;
    expect(statusesIn(stream.text())).toEqual(['authenticated']);
  });

  test('ends when the attempt expires', async () => {
    const service = await listening();
    const stream = await watch(service, await startRedirect(service));
    service.clock.advance(ATTEMPT_LIFETIME_MS);
    await stream.ended;
    expect(statusesIn(stream.text())).toEqual(['pending', 'expired']);
  });

  test('is for two at a time; a place is free again when its client is gone', async () => {
    const service = await listening();
    const started = await startRedirect(service);
    const [first] = [await watch(service, started), await watch(service, started)];
    const third = await watch(service, started);
    expect(third.response.statusCode).toBe(429);
    expect(third.response.headers['retry-after']).toBe('5');
    await third.ended;
    expect(third.text()).toContain('stream.limit_reached');
    first.leave();
    await expect.poll(async () => (await watch(service, started)).response.statusCode).toBe(200);
  });

  test('needs the token in its header, as the status does', async () => {
    const service = await listening();
    const started = await startRedirect(service);
    const path = `/status/${started.attempt_id}/events`;
    expectProblem(await service.get(path), 'attempt.token_missing');
    expectProblem(
      await service.get(`${path}?attempt_token=${started.attempt_token}`),
      'attempt.token_missing',
    );
    expectProblem(
      await service.get(path, { 'x-provider-attempt-token': 'x'.repeat(64) }),
      'attempt.not_found',
    );
  });

  test('ends when the service stops, which does not wait for it', async () => {
    const service = await listening();
    const stream = await watch(service, await startRedirect(service));
    await until(() => statusesIn(stream.text()).length === 1);
    await service.close();
    await stream.ended;
    expect(statusesIn(stream.text())).toEqual(['pending']);
  });

  test('takes no connection from others', async () => {
    const service = await listening();
    const { server } = service.app;
    const before = server.maxConnections;
    const stream = await watch(service, await startRedirect(service));
    expect(server.maxConnections).toBe(before + 1);
    stream.leave();
    await expect.poll(() => server.maxConnections).toBe(before);
  });
});

function wait(service: TestService, started: Started, seconds: number) {
  return service.get(`/status/${started.attempt_id}?wait=${seconds}`, {
    'x-provider-attempt-token': started.attempt_token,
  });
}

describe('a long poll', () => {
  test('is answered when the attempt ends', async () => {
    const service = await listening();
    const started = await startRedirect(service);
    const polled = wait(service, started, 25);
    await complete(service, started);
    expect((await polled).json()).toMatchObject({ data: { status: 'authenticated' } });
  });

  test('is answered pending after its time', async () => {
    const service = await listening();
    const answer = await wait(service, await startRedirect(service), 1);
    expect(answer.json()).toMatchObject({ data: { status: 'pending' } });
  });

  test('sees that the provider has refused without anybody reading the status', async () => {
    const service = await listening();
    const answer = await wait(service, await startPhone(service, '1900000010'), 25);
    expect(answer.json()).toMatchObject({ data: { status: 'rejected' } });
  });

  test('may be asked for with Prefer, and is counted once', async () => {
    const service = await listening();
    const started = await startRedirect(service);
    const polled = service.get(`/status/${started.attempt_id}`, {
      'x-provider-attempt-token': started.attempt_token,
      prefer: 'respond-async, wait=100',
    });
    await complete(service, started);
    const answer = await polled;
    expect(answer.json()).toMatchObject({ data: { status: 'authenticated' } });
    expect(answer.headers['x-ratelimit-remaining']).toBe('119');
  });

  test.each(['-1', '26', '1.5', 'x', ''])('with wait=%s is 422', async (seconds) => {
    const service = await openTestService();
    const started = await startRedirect(service);
    const answer = await service.get(`/status/${started.attempt_id}?wait=${seconds}`, {
      'x-provider-attempt-token': started.attempt_token,
    });
    expect(expectProblem(answer, 'validation.failed')['violations']).toEqual([
      { pointer: '/wait', code: 'format', parameter: 'wait' },
    ]);
  });

  test.each([
    ['wiat', 422],
    ['waits', 422],
    ['_', 200],
    ['nocache', 200],
    ['v', 200],
  ])('with %s in the place of wait is %i', async (name, status) => {
    const service = await openTestService();
    const { attempt_id: id, attempt_token: token } = await startRedirect(service);
    const answer = await service.get(`/status/${id}?${name}=5`, {
      'x-provider-attempt-token': token,
    });
    expect(answer.statusCode).toBe(status);
    if (status === 200) return;
    const { detail, violations } = expectProblem(answer, 'validation.failed');
    expect(detail).toBe(`The ${name} field is not known here. Did you mean "wait"?`);
    expect(violations).toEqual([{ pointer: `/${name}`, code: 'unknown', parameter: name }]);
  });

  test('is answered at once where there is no place', async () => {
    const service = await listening({ WAITERS_MAX: '0' });
    const answer = await wait(service, await startRedirect(service), 25);
    expect(answer.json()).toMatchObject({ data: { status: 'pending' } });
  });

  test('of an attempt that fails after it was authenticated tells so', async () => {
    const service = await listening();
    const started = await startCompleted(service);
    for (let count = 0; count < 5; count += 1) {
      await redeem(service, started, { completion_code: 'wrong' });
    }
    expect((await wait(service, started, 25)).json()).toMatchObject({ data: { status: 'failed' } });
  });
});

/** A service whose reads of an attempt wait until `answer` is called. */
async function listeningSlowly() {
  const { promise, resolve: answer } = Promise.withResolvers<void>();
  const store = createMemoryStore();
  const find = store.findProvenAttempt.bind(store);
  let isSlow = false;
  store.findProvenAttempt = async (...asked) => {
    if (isSlow) await promise;
    return find(...asked);
  };
  const service = await openTestService({ parts: { openStore: async () => store } });
  await service.app.listen({ host: '127.0.0.1', port: 0 });
  return { service, answer, slowDown: () => (isSlow = true) };
}

describe('a client that leaves while its first status is read', () => {
  test.each(['/events', '?wait=25'])('keeps no place: %s', async (path) => {
    const { service, answer, slowDown } = await listeningSlowly();
    const started = await startRedirect(service);
    slowDown();
    const { server } = service.app;
    const before = server.maxConnections;
    const sent = httpRequest({
      host: '127.0.0.1',
      port: (server.address() as AddressInfo).port,
      path: `${BASE}/status/${started.attempt_id}${path}`,
      headers: { 'x-provider-attempt-token': started.attempt_token },
    });
    sent.on('error', () => undefined);
    const arrived = once(server, 'request');
    sent.end();
    const [{ socket }] = (await arrived) as [IncomingMessage];
    const gone = once(socket, 'close');
    sent.destroy();
    await gone;
    answer();
    await service.get(`/status/${started.attempt_id}`, {
      'x-provider-attempt-token': started.attempt_token,
    });
    expect(server.maxConnections).toBe(before);
  });
});

test('an error of the next request is not written into a stream that has begun', async () => {
  const service = await listening();
  const { attempt_id, attempt_token } = await startRedirect(service);
  const { port } = service.app.server.address() as AddressInfo;
  const socket = connect(port, '127.0.0.1');
  let received = '';
  socket.setEncoding('latin1').on('data', (bytes: string) => (received += bytes));
  const closed = once(socket, 'close');
  socket.write(
    `GET ${BASE}/status/${attempt_id}/events HTTP/1.1\r\nHost: localhost\r\n` +
      `X-Provider-Attempt-Token: ${attempt_token}\r\n\r\n`,
  );
  await until(() => statusesIn(received).length === 1);
  socket.write('not a request\r\n\r\n');
  await closed;
  expect(received.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200']);
});
