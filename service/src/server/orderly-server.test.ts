import { once } from 'node:events';
import type { RequestListener, Server, ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';
import { PLAIN_GROUPS } from '../../test/support/service/plain-groups.ts';
import { systemTimer } from '../platform/runtime.ts';
import { createListener } from './listener.ts';

const GET = 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n';
const LARGE = Buffer.alloc(32 * 1024 * 1024);

interface Listening {
  readonly server: Server;
  readonly drain: { isOn: boolean };
}

async function listening(handle: RequestListener): Promise<Listening> {
  const drain = { isOn: false };
  const server = createListener(handle, PLAIN_GROUPS, { drain, timer: systemTimer });
  onTestFinished(() => server.closeAllConnections());
  onTestFinished(() => void server.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, drain };
}

const here: RequestListener = (_, response) => void response.end('here');

function beginConnecting({ server }: Listening): Socket {
  const { port } = server.address() as AddressInfo;
  const socket = connect(port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  return socket;
}

/** A connection that the server has accepted. */
async function connectTo(to: Listening): Promise<Socket> {
  const socket = beginConnecting(to);
  await Promise.all([once(socket, 'connect'), once(to.server, 'connection')]);
  return socket;
}

const turn = () => new Promise((resolve) => void setImmediate(resolve));

/** Closes the server. @returns a promise of its end, after the listening socket was closed */
async function closing({ server, drain }: Listening): Promise<{ ended: Promise<unknown> }> {
  drain.isOn = true;
  const ended = once(server, 'close');
  server.close();
  while (server.listening) await turn();
  return { ended };
}

it('answers those that are in the queue of the listening socket when it is closed', async () => {
  const to = await listening(here);
  // The system completes these connections before the server has accepted the first one.
  const sockets = Array.from({ length: 50 }, () => beginConnecting(to));
  for (const socket of sockets) socket.write(GET);
  const answers = Promise.all(sockets.map((socket) => text(socket)));
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  const { ended } = await closing(to);
  expect((await answers).filter((said) => said.startsWith('HTTP/1.1 200'))).toHaveLength(50);
  await ended;
});

it('waits for the first request of a connection that was accepted', async () => {
  const to = await listening(here);
  const socket = await connectTo(to);
  const { ended } = await closing(to);
  // Whatever the server does at once has been done by then.
  for (let turns = 0; turns < 20; turns += 1) await turn();
  const said = text(socket);
  socket.write(GET);
  expect(await said).toMatch(/^HTTP\/1\.1 200 [^]*connection: close/i);
  await ended;
});

it('ends a connection that never sends a request', async () => {
  const to = await listening(here);
  const socket = await connectTo(to);
  const { ended } = await closing(to);
  expect(await text(socket)).toBe('');
  await ended;
});

it('says with each answer of a drain that the connection ends', async () => {
  const to = await listening(here);
  const socket = await connectTo(to);
  socket.write(GET);
  const [before] = (await once(socket, 'data')) as [Buffer];
  expect(before.toString()).toMatch(/connection: keep-alive/i);
  to.drain.isOn = true;
  socket.write(GET);
  const [after] = (await once(socket, 'data')) as [Buffer];
  expect(after.toString()).toMatch(/^HTTP\/1\.1 200 [^]*connection: close/i);
  await once(socket, 'end');
});

it('says so too with the answer to a request that began before the drain', async () => {
  const held: ServerResponse[] = [];
  const to = await listening((_, response) => void held.push(response));
  const socket = await connectTo(to);
  const received = once(to.server, 'request');
  socket.write(GET);
  await received;
  const said = text(socket);
  await closing(to);
  held[0]?.end('here');
  expect(await said).toMatch(/^HTTP\/1\.1 200 [^]*connection: close/i);
});

it('ends an idle connection with FIN, and handles no request that crosses it', async () => {
  let handled = 0;
  const to = await listening((_, response) => {
    handled += 1;
    response.end('here');
  });
  const socket = await connectTo(to);
  socket.write(GET);
  await once(socket, 'data');
  socket.allowHalfOpen = true;
  const { ended } = await closing(to);
  await once(socket, 'end');
  socket.write(GET);
  await ended;
  expect(handled).toBe(1);
});

it('does not cut off an answer that its client is still reading', async () => {
  const to = await listening((_, response) => void response.end(LARGE));
  const socket = await connectTo(to);
  socket.write(GET);
  const [head] = (await once(socket, 'data')) as [Buffer];
  socket.pause();
  await closing(to);
  let length = head.length;
  socket.on('data', (piece: Buffer) => (length += piece.length));
  socket.resume();
  // It was begun before the drain, so the client closes the connection, or the server later.
  while (length < LARGE.length) await once(socket, 'data');
  expect(length).toBeGreaterThan(LARGE.length);
});
