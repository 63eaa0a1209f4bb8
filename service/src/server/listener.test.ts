import { once } from 'node:events';
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { PLAIN_GROUPS } from '../../test/support/service/plain-groups.ts';
import { systemTimer } from '../platform/runtime.ts';
import { limitExchanges } from './exchanges.ts';
import { createListener, endStalledWrites } from './listener.ts';

const RUNNING = { drain: { isOn: false }, timer: systemTimer };
const LARGE = Buffer.alloc(64 * 1024 * 1024);
const get = (path: string, more = '') => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${more}\r\n`;

async function listening(server: Server): Promise<Server> {
  onTestFinished(() => server.closeAllConnections());
  onTestFinished(() => void server.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

async function connectTo(server: Server): Promise<Socket> {
  const { port } = server.address() as AddressInfo;
  const socket = connect(port, '127.0.0.1').setEncoding('latin1');
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
}

/** Everything that is received until the connection is closed. */
async function readAll(socket: Socket): Promise<string> {
  let text = '';
  socket.on('data', (piece: string) => (text += piece));
  if (!socket.closed) await once(socket, 'close');
  return text;
}

function withStallCheck(handle: RequestListener): Promise<Server> {
  const server = createServer(limitExchanges(handle));
  endStalledWrites(server, 50);
  return listening(server);
}

it('ends a connection whose client does not read', async () => {
  const server = await withStallCheck((_, response) => response.end(LARGE));
  const accepted = once(server, 'connection') as Promise<[Socket]>;
  const socket = await connectTo(server);
  const [served] = await accepted;
  const received = once(server, 'request');
  socket.pause().write(get('/'));
  await received;
  await once(server, 'timeout');
  expect(served.destroyed).toBe(true);
});

it('leaves one alone that waits for our work, however long that takes', async () => {
  const waiting: ServerResponse[] = [];
  const server = await withStallCheck((_, response) => void waiting.push(response));
  const socket = await connectTo(server);
  const received = once(server, 'request');
  socket.write(get('/'));
  // On a busy machine the check could run before the request has arrived.
  await received;
  await once(server, 'timeout');
  waiting[0]?.end('here');
  expect(((await once(socket, 'data')) as [string])[0]).toContain('200 OK');
});

/** How many requests are handled when one more follows the first sixteen. */
async function handledOf(handle: RequestListener): Promise<number> {
  let handled = 0;
  const { promise: sixteen, resolve } = Promise.withResolvers<void>();
  const { promise: tooMany, resolve: resolveTooMany } = Promise.withResolvers<void>();
  const server = await listening(
    createListener(
      (request, response) => {
        handled += 1;
        if (handled === 16) resolve();
        if (handled > 16) resolveTooMany();
        else handle(request, response);
      },
      PLAIN_GROUPS,
      RUNNING,
    ),
  );
  const socket = await connectTo(server);
  socket.write(get('/').repeat(16));
  await sixteen;
  socket.write(get('/'));
  await Promise.race([tooMany, readAll(socket)]);
  return handled;
}

it('handles sixteen requests of a connection at a time, and closes it at the next', async () => {
  expect(await handledOf(() => undefined)).toBe(16);
});

it('counts the requests that wait for the end of the turn, and handles none of a closed connection', async () => {
  const works: (() => void)[] = [];
  const handled: string[] = [];
  const handle: RequestListener = ({ url = '' }) => void handled.push(url);
  const groups = { ...PLAIN_GROUPS, atEndOfTurn: (work: () => void) => void works.push(work) };
  const server = await listening(createListener(handle, groups, RUNNING));
  const [first, second] = [await connectTo(server), await connectTo(server)];
  const received = once(server, 'request');
  first.write(get('/first'));
  await received;
  const closed = once(second, 'close');
  second.write(get('/many').repeat(500));
  await closed;
  for (const work of works) work();
  expect(handled).toEqual(['/first']);
});

it('counts an answer that was made and not read', async () => {
  const answers: (() => unknown)[] = [];
  const handled = await handledOf((_, response) => {
    // The first answer is held back, so the answers after it have to wait.
    if (answers.push(() => response.end('first')) > 1) response.end('here');
  });
  expect(handled).toBe(16);
});

it('serves any number of requests one behind the other to a client that reads', async () => {
  const server = await listening(
    createListener((_, response) => response.end('here'), PLAIN_GROUPS, RUNNING),
  );
  const socket = await connectTo(server);
  const reading = readAll(socket);
  for (let sent = 0; sent < 100; sent += 1) {
    socket.write(get('/').repeat(5));
    await once(socket, 'data');
  }
  socket.write(get('/', 'Connection: close\r\n'));
  expect((await reading).match(/200 OK/g)).toHaveLength(501);
});

it.each([['Connection: Upgrade\r\nUpgrade: h2c\r\n'], ['Upgrade: h2c\r\n']])(
  'closes a connection after a request to speak another protocol, and handles nothing behind it: %j',
  async (upgrade) => {
    const handled: string[] = [];
    const server = await listening(
      createListener(
        ({ url = '' }, response) => {
          handled.push(url);
          response.end('here');
        },
        PLAIN_GROUPS,
        RUNNING,
      ),
    );
    const socket = await connectTo(server);
    socket.write(get('/first', upgrade) + get('/second'));
    const [text] = (await once(socket, 'data')) as [string];
    expect(text.toLowerCase()).toContain('connection: close');
    expect(text.match(/^HTTP/gm)).toHaveLength(1);
    expect(await readAll(socket)).not.toContain('HTTP');
    expect(handled).toEqual(['/first']);
  },
);
