import { EventEmitter, once } from 'node:events';
import type { Server, ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { measureSlowClients } from '../support/attacks/slow-clients.ts';
import { share } from '../support/at-end.ts';
import { startServiceForTest } from '../support/programs/for-test.ts';
import { startService } from '../support/programs/service-process.ts';
import {
  HEAP_OF_256_MB,
  measurePipelined,
  measureUnread,
} from '../support/attacks/unread/figures.ts';
import { openTestService } from '../support/service/test-service.ts';
import { until } from '../support/programs/until.ts';
import { PIPELINED_PATHS } from '../support/attacks/unread/paths.ts';

const MOST_MB = 64;

/** A program for the tests that leave it as it was: it keeps nothing of connections that have ended. */
const plain = share(async (atEnd) => {
  const service = await startService();
  atEnd(async () => void (await service.kill()));
  return service;
});

const getOf = (path: string) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;

/** Counts what a server has accepted, read and answered. */
function watchRequests(server: Server) {
  let [accepted, arrived, answered] = [0, 0, 0];
  const answeredBefore = new Map<string, number>();
  const answeredDuring = new Map<string, number>();
  const arrivals = new EventEmitter();
  server.on('connection', (socket: Socket) => {
    accepted += 1;
    // The answer to what is no request, which ends the connection.
    socket.once('finish', () => (answered += 1));
  });
  server.prependListener('request', ({ url = '' }, response: ServerResponse) => {
    answeredBefore.set(url, answered);
    arrived += 1;
    arrivals.emit(String(arrived));
    response.once('finish', () => {
      answeredDuring.set(url, answered - (answeredBefore.get(url) ?? 0));
      answered += 1;
    });
  });
  return {
    get accepted() {
      return accepted;
    },
    get answered() {
      return answered;
    },
    /** Resolves when so many requests were read. */
    arrivalOf: (count: number) => once(arrivals, String(count)),
    /** How many answers to others were sent between the last request of a path and its answer. */
    answeredDuring: (url: string) => answeredDuring.get(url),
    async connect(): Promise<Socket> {
      const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
      onTestFinished(() => void socket.destroy());
      await once(socket, 'connect');
      return socket;
    },
  };
}

describe('threat 59: large answers that nobody reads', () => {
  it('cost next to no memory, and others are served', async () => {
    const { grownMb, livezMs } = await measureUnread(plain(), 100);
    expect(livezMs).not.toBeNull();
    expect(grownMb).toBeLessThan(MOST_MB);
  });
});

describe('threat 66: requests one behind the other, whose answers nobody reads', () => {
  it('do not exhaust the memory, on whichever route', async () => {
    const service = await startServiceForTest({ settings: HEAP_OF_256_MB });
    const figures = await measurePipelined(service, 60, 192);
    const unserved = figures.filter(({ livezMs, isRunning }) => livezMs === null || !isRunning);
    expect(unserved).toEqual([]);
    expect(figures).toHaveLength(PIPELINED_PATHS.length);
  });
});

describe('threat 66: sixteen requests at once on each of many connections', () => {
  const CONNECTIONS = 200;
  const EACH = 16;
  /** Two groups: one may be under way when a check of the health arrives. */
  const MOST_BEFORE = 128;
  /** Of what is not a whole request when its turn comes. */
  const MOST_LATE = 96;

  it.each([
    { path: '/errors', most: MOST_BEFORE },
    // One check of each other connection goes before.
    { path: '/livez', most: MOST_BEFORE + CONNECTIONS },
  ])('let a check of the health wait for few of them: $path', async ({ path, most }) => {
    const service = await openTestService({ settings: { RATE_LIMITS: 'off' } });
    await service.app.listen({ host: '127.0.0.1', port: 0 });
    const seen = watchRequests(service.app.server);
    const checker = await seen.connect();
    const crowd = await Promise.all(Array.from({ length: CONNECTIONS }, () => seen.connect()));
    await expect.poll(() => seen.accepted).toBe(1 + CONNECTIONS);
    for (const socket of crowd) socket.resume().write(getOf(path).repeat(EACH));
    await seen.arrivalOf(CONNECTIONS * EACH);
    checker.write(getOf('/readyz'));
    await once(checker, 'data');
    expect(seen.answeredDuring('/readyz')).toBeLessThanOrEqual(most);
  });

  const BODY = JSON.stringify({ state: 'x', auto_complete: true });
  const posted = (type: string, path: string) =>
    `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: ${type}\r\n` +
    `Content-Length: ${BODY.length}\r\n\r\n${BODY.slice(0, -1)}`;

  it.each([
    {
      what: 'the last byte of a body',
      begins: posted('application/json', '/api/v1/callback'),
      ends: '}',
    },
    {
      what: 'the last byte of a form',
      begins: posted('application/x-www-form-urlencoded', '/api/v1/introspect'),
      ends: '}',
    },
    { what: 'what is no request', begins: '', ends: 'no HTTP\r\n\r\n' },
  ])('$what, sent by all at the same moment, lets it wait for few', async ({ begins, ends }) => {
    const service = await openTestService({ settings: { RATE_LIMITS: 'off' } });
    await service.app.listen({ host: '127.0.0.1', port: 0 });
    // All have to be there together, which takes a slow machine longer than a request may.
    Object.assign(service.app.server, { headersTimeout: 0, requestTimeout: 0 });
    const seen = watchRequests(service.app.server);
    const checker = await seen.connect();
    const many = 3 * CONNECTIONS;
    const crowd = await Promise.all(Array.from({ length: many }, () => seen.connect()));
    await expect.poll(() => seen.accepted).toBe(1 + many);
    const begun = begins === '' ? null : seen.arrivalOf(many);
    for (const socket of crowd) socket.resume().write(begins);
    await begun;
    // Comes to its turn after all of them.
    checker.write(getOf('/errors'));
    await once(checker, 'data');
    expect(seen.answered).toBe(1);
    for (const socket of crowd) socket.write(ends);
    checker.write(getOf('/readyz'));
    await once(checker, 'data');
    expect(seen.answered).toBeLessThanOrEqual(MOST_BEFORE + MOST_LATE);
    await expect.poll(() => seen.answered).toBe(2 + many);
  });

  it('let a check on a new connection wait for a group for each sixteen of them', async () => {
    const service = await openTestService({ settings: { RATE_LIMITS: 'off' } });
    await service.app.listen({ host: '127.0.0.1', port: 0 });
    const seen = watchRequests(service.app.server);
    const crowd = Array.from({ length: CONNECTIONS }, async () => {
      const socket = await seen.connect();
      socket.resume().write(getOf('/errors').repeat(EACH));
    });
    const checker = await seen.connect();
    checker.write(getOf('/readyz'));
    await once(checker, 'data');
    await Promise.all(crowd);
    expect(seen.answered).toBeLessThanOrEqual(MOST_BEFORE + 64 * Math.ceil(CONNECTIONS / 16));
  });
});

it('a client that goes on sending after it was answered with an error loses its connection', async () => {
  const service = plain();
  const socket = connect({ port: service.port, host: '127.0.0.1', allowHalfOpen: true });
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => undefined);
  socket.write('no HTTP\r\n\r\n');
  await until(() => {
    if (socket.writable) socket.write('x');
    return socket.closed;
  });
  expect(service.isRunning).toBe(true);
});

describe('clients that send one byte a second and read nothing', () => {
  it('keep nobody else from being served', async () => {
    const { faults, good } = await measureSlowClients(plain(), 200, 50);
    expect(faults).toEqual([]);
    expect(good).toBe(50);
    expect(plain().isRunning).toBe(true);
  });
});
