import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { expect, it } from 'vitest';
import { BASE, openTestService, type TestService } from '../support/test-service.ts';

/** What clients do to connections, and what must not come of it. */

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

it('a client that hangs up in the middle of its body is no fault of ours', async () => {
  const service = await openTestService();
  const socket = await connectTo(service);
  const received = once(service.app.server, 'request') as Promise<[IncomingMessage]>;
  socket.write(`${head('/start', 100)}{"locale":`);
  const [request] = await received;
  socket.destroy();
  await once(request.socket, 'close');
  // One more request from end to end: by then the framework is done with the first.
  expect((await service.post('/start', { locale: 'en' })).statusCode).toBe(200);
  const levels = service.logLines.map((line) => (JSON.parse(line) as { level: number }).level);
  expect(levels.filter((level) => level > 30)).toEqual([]);
});
