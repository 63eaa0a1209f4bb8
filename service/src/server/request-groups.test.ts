import { AsyncLocalStorage } from 'node:async_hooks';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { createFakeClock, type FakeClock } from '../../test/support/service/fake-clock.ts';
import { type GroupOptions, LATE_MS, MOST_WAITING, groupRequests } from './request-groups.ts';

/** A server for which the test decides when a turn of the event loop ends. */
interface Grouping {
  readonly server: Server;
  /** The paths of the requests that reached the handler, in order. */
  readonly handled: string[];
  readonly thrown: unknown[];
  /** The paths of the starts that had waited too long. */
  readonly late: string[];
  readonly clock: FakeClock;
  /** How many callbacks wait for the end of a turn. */
  scheduled(): number;
  endTurn(): void;
}

async function openGrouping(
  also: RequestListener = () => undefined,
  report: (error: unknown) => void = () => undefined,
): Promise<Grouping> {
  const handled: string[] = [];
  const thrown: unknown[] = [];
  const late: string[] = [];
  const clock = createFakeClock();
  const works: (() => void)[] = [];
  const handle: RequestListener = (request, response) => {
    handled.push(request.url ?? '');
    also(request, response);
    response.end('here');
  };
  const atEndOfTurn = (work: () => void) => void works.push(work);
  const onThrow = (error: unknown) => {
    thrown.push(error);
    report(error);
  };
  const options: GroupOptions = {
    atEndOfTurn,
    onThrow,
    now: () => clock.now(),
    urgencyOf: ({ url = '' }) => (url.startsWith('/start') ? 'start' : 'usual'),
    onLate: ({ url = '' }) => void late.push(url),
  };
  const server = createServer(groupRequests(handle, options));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => server.closeAllConnections());
  onTestFinished(() => void server.close());
  const endTurn = () => {
    for (const work of works.splice(0)) work();
  };
  return { server, handled, thrown, late, clock, scheduled: () => works.length, endTurn };
}

async function connectTo({ server }: Grouping): Promise<Socket> {
  const { port } = server.address() as AddressInfo;
  const socket = connect(port, '127.0.0.1').setEncoding('latin1');
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
}

/** Resolves when the server has read the request, whether or not it is handled. */
async function send(to: Grouping, socket: Socket, path: string): Promise<void> {
  const received = once(to.server, 'request');
  socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  await received;
}

/** Sends one request per connection; the first one is handled at once. */
async function sendEach(to: Grouping, paths: readonly string[]): Promise<Socket[]> {
  const sockets: Socket[] = [];
  for (const path of paths) {
    const socket = await connectTo(to);
    await send(to, socket, path);
    sockets.push(socket);
  }
  return sockets;
}

function nth<Item>(items: readonly Item[], index: number): Item {
  const item = items[index];
  if (item === undefined) throw new Error(`there are ${items.length}`);
  return item;
}

const answerOn = async (socket: Socket) => ((await once(socket, 'data')) as [string])[0];
const numbered = (count: number) => Array.from({ length: count }, (_, index) => `/${index}`);

it('handles what came on several connections at the end of the turn, first in, first out', async () => {
  const grouping = await openGrouping();
  await sendEach(grouping, ['/first', '/a', '/b', '/c']);
  expect(grouping.handled).toEqual(['/first']);
  expect(grouping.scheduled()).toBe(1);
  grouping.endTurn();
  expect(grouping.handled).toEqual(['/first', '/a', '/b', '/c']);
});

it('has a client that is alone wait for nothing', async () => {
  const grouping = await openGrouping();
  const socket = await connectTo(grouping);
  for (const path of ['/1', '/2', '/3']) {
    const answer = answerOn(socket);
    await send(grouping, socket, path);
    await answer;
  }
  expect(grouping.handled).toEqual(['/1', '/2', '/3']);
  expect(grouping.scheduled()).toBe(0);
});

it('lets no request overtake one that waits, also not on the same connection', async () => {
  const grouping = await openGrouping();
  const sockets = await sendEach(grouping, ['/first', '/a']);
  await send(grouping, nth(sockets, 1), '/behind-a');
  expect(grouping.handled).toEqual(['/first']);
  grouping.endTurn();
  expect(grouping.handled).toEqual(['/first', '/a', '/behind-a']);
});

it('handles 64 in a turn at most, the others in the turns after it', async () => {
  const grouping = await openGrouping();
  await sendEach(grouping, ['/first', ...numbered(130)]);
  const counts = [1, 2, 3].map(() => {
    grouping.endTurn();
    return grouping.handled.length - 1;
  });
  expect(counts).toEqual([64, 128, 130]);
  expect(grouping.handled).toEqual(['/first', ...numbered(130)]);
  expect(grouping.scheduled()).toBe(0);
});

it('has what comes while others still wait stand behind them', async () => {
  const grouping = await openGrouping();
  await sendEach(grouping, ['/first', ...numbered(65)]);
  grouping.endTurn();
  await sendEach(grouping, ['/late']);
  grouping.endTurn();
  expect(grouping.handled.slice(-2)).toEqual(['/64', '/late']);
});

it('drops a request whose connection was closed while it waited, and no other', async () => {
  const grouping = await openGrouping();
  const accepted: Socket[] = [];
  grouping.server.on('connection', (socket: Socket) => accepted.push(socket));
  const sockets = await sendEach(grouping, ['/first', '/stays', '/goes', '/stays-too']);
  const closed = once(nth(accepted, 2), 'close');
  nth(sockets, 2).destroy();
  await closed;
  grouping.endTurn();
  expect(grouping.handled).toEqual(['/first', '/stays', '/stays-too']);
});

it('ends one connection when its handler throws, and handles the others', async () => {
  const fault = new Error('broken');
  const grouping = await openGrouping(({ url }) => {
    if (url === '/broken') throw fault;
  });
  const sockets = await sendEach(grouping, ['/first', '/broken', '/after']);
  const [closed, answer] = [once(nth(sockets, 1), 'close'), answerOn(nth(sockets, 2))];
  grouping.endTurn();
  await closed;
  expect(await answer).toContain('200 OK');
  expect(grouping.thrown).toEqual([fault]);
  await sendEach(grouping, ['/later']);
  grouping.endTurn();
  expect(grouping.handled.at(-1)).toBe('/later');
});

it('handles the others, and later requests, also when the error can not be reported', async () => {
  const grouping = await openGrouping(
    ({ url }) => {
      if (url === '/broken') throw new Error('broken');
    },
    () => {
      throw new Error('no log');
    },
  );
  await sendEach(grouping, ['/first', '/broken', '/after']);
  expect(() => grouping.endTurn()).toThrow('no log');
  await sendEach(grouping, ['/later']);
  grouping.endTurn();
  expect(grouping.handled).toEqual(['/first', '/broken', '/after', '/later']);
  expect(grouping.scheduled()).toBe(0);
});

it('ends one connection when the handler of a request that is alone throws', async () => {
  const fault = new Error('broken');
  const grouping = await openGrouping(() => {
    throw fault;
  });
  const socket = await connectTo(grouping);
  const closed = once(socket, 'close');
  await send(grouping, socket, '/alone');
  await closed;
  expect(grouping.thrown).toEqual([fault]);
});

it('keeps for each request the values of AsyncLocalStorage that it came with', async () => {
  const storage = new AsyncLocalStorage<string>();
  const seen: (string | undefined)[] = [];
  const grouping = await openGrouping(() => void seen.push(storage.getStore()));
  const [listener] = grouping.server.listeners('request') as RequestListener[];
  grouping.server.removeAllListeners('request');
  grouping.server.on('request', (request, response) => {
    storage.run(`of ${request.url}`, () => listener?.(request, response));
  });
  await sendEach(grouping, ['/first', '/a', '/b']);
  grouping.endTurn();
  expect(seen).toEqual(['of /first', 'of /a', 'of /b']);
});

it('leaves a body that came with its request to be read by the handler', async () => {
  const bodies: string[] = [];
  const { promise: read, resolve } = Promise.withResolvers<void>();
  const grouping = await openGrouping((request) => {
    request.setEncoding('utf8').on('data', (piece: string) => bodies.push(piece));
    request.on('end', () => request.url === '/with-body' && resolve());
  });
  await sendEach(grouping, ['/first']);
  const socket = await connectTo(grouping);
  const received = once(grouping.server, 'request');
  socket.write('POST /with-body HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nhello');
  await received;
  grouping.endTurn();
  await read;
  expect(bodies).toEqual(['hello']);
});

it('answers those that wait when the server is closed', async () => {
  const grouping = await openGrouping();
  const sockets = await sendEach(grouping, ['/first', '/waits']);
  const [answer, closed] = [answerOn(nth(sockets, 1)), once(grouping.server, 'close')];
  grouping.server.close();
  grouping.server.closeIdleConnections();
  grouping.endTurn();
  expect(await answer).toContain('200 OK');
  for (const socket of sockets) socket.destroy();
  await closed;
});

it('tells of starts that have waited too long, and handles them with the next group', async () => {
  const grouping = await openGrouping();
  await sendEach(grouping, ['/first', '/start-1', '/start-2', '/start-3', ...numbered(65)]);
  grouping.endTurn();
  expect(grouping.handled).not.toContain('/start-3');
  grouping.clock.advance(LATE_MS);
  await sendEach(grouping, numbered(65));
  grouping.endTurn();
  expect(grouping.late).toEqual(['/start-3']);
  expect(grouping.handled).toContain('/start-3');
});

it('closes a connection that sends more while too many wait, and handles nothing of it', async () => {
  const grouping = await openGrouping();
  await sendEach(grouping, ['/first', '/waits']);
  const socket = await connectTo(grouping);
  const closed = once(socket, 'close');
  socket.write('GET /many HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(MOST_WAITING + 1));
  await closed;
  while (grouping.scheduled() > 0) grouping.endTurn();
  expect(grouping.handled).toEqual(['/first', '/waits']);
});
