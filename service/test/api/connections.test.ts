import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { expect, it } from 'vitest';
import { BASE, openTestService, type TestService } from '../support/service/test-service.ts';

/** What clients can do with connections, and what it must not cause. */

async function connectTo({ app }: TestService): Promise<Socket> {
  if (!app.server.listening) await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;
  const socket = connect(port, '127.0.0.1').setEncoding('latin1');
  await once(socket, 'connect');
  return socket;
}

const head = (path: string, length: number) =>
  `POST ${BASE}${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n` +
  `Content-Length: ${length}\r\n\r\n`;

/** Everything that is received until the service closes the connection. */
async function sendAll(service: TestService, bytes: string): Promise<string> {
  const socket = await connectTo(service);
  socket.write(bytes);
  let answer = '';
  for await (const piece of socket) answer += String(piece);
  return answer;
}

const START = '{"locale":"en"}';
const chunked = head('/start', 0).replace('Content-Length: 0', 'Transfer-Encoding: chunked');

// A client would take an early answer as that of its first request.
it('what breaks a connection is not answered in the place of a request that is under way', async () => {
  const service = await openTestService();
  const sent = head('/start', START.length) + START;
  expect(await sendAll(service, `${sent}GARBAGE\r\n\r\n`)).toBe('');
  expect(await sendAll(service, `${sent}${sent}GARBAGE\r\n\r\n`)).toBe('');
  expect(await sendAll(service, `${sent}${chunked}GARBAGE\r\n`)).toBe('');
});

it('what breaks the body of a request is answered, for it is its own', async () => {
  const service = await openTestService();
  expect(await sendAll(service, `${chunked}GARBAGE\r\n`)).toMatch(/^HTTP\/1\.1 400 /);
});

it('a client that hangs up in the middle of its body is no fault of ours', async () => {
  const service = await openTestService();
  const socket = await connectTo(service);
  const received = once(service.app.server, 'request') as Promise<[IncomingMessage]>;
  socket.write(`${head('/start', 100)}{"locale":`);
  const [request] = await received;
  socket.destroy();
  await once(request.socket, 'close');
  // After another complete request the framework has also finished the first one.
  expect((await service.post('/start', { locale: 'en' })).statusCode).toBe(200);
  const levels = service.logLines.map((line) => (JSON.parse(line) as { level: number }).level);
  expect(levels.filter((level) => level > 30)).toEqual([]);
});

// Proxies send a large head in pieces, and each piece after the limit is an error again.
it('what a client sends after its answer does not reset the connection', async () => {
  const service = await openTestService();
  const accepted = once(service.app.server, 'connection') as Promise<[Socket]>;
  const client = await connectTo(service);
  const [socket] = await accepted;
  const fault = Object.assign(new Error('too large'), { code: 'HPE_HEADER_OVERFLOW' });
  service.app.server.emit('clientError', fault, socket);
  expect(socket.writableEnded).toBe(true);
  service.app.server.emit('clientError', fault, socket);
  expect(socket.destroyed).toBe(false);
  client.destroy();
  socket.destroy();
});
