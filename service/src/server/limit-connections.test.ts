import { once } from 'node:events';
import { connect, type AddressInfo, type Socket } from 'node:net';
import Fastify, { type FastifyInstance } from 'fastify';
import { expect, it, onTestFinished } from 'vitest';
import { limitConnections } from './limit-connections.ts';

async function serverWith(limits: { most: number; crowd: number }): Promise<FastifyInstance> {
  const app = Fastify({ forceCloseConnections: true });
  app.get('/', async () => 'here');
  limitConnections(app.server, limits);
  await app.listen({ host: '127.0.0.1', port: 0 });
  onTestFinished(() => app.close());
  return app;
}

async function connectTo({ server }: FastifyInstance): Promise<Socket> {
  const { port } = server.address() as AddressInfo;
  const socket = connect(port, '127.0.0.1').setEncoding('latin1');
  await once(socket, 'connect');
  return socket;
}

/** How long the connection may be idle after this answer, as its header says. */
async function idleTimeOf(socket: Socket): Promise<string | undefined> {
  socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
  const [answer] = (await once(socket, 'data')) as [string];
  return /keep-alive: (\S+)/i.exec(answer)?.[1];
}

it('has idle connections closed sooner while there is a crowd of them', async () => {
  const app = await serverWith({ most: 10, crowd: 2 });
  const sockets = [await connectTo(app), await connectTo(app)] as const;
  for (const socket of sockets) expect(await idleTimeOf(socket)).toBe('timeout=72');
  const accepted = once(app.server, 'connection') as Promise<[Socket]>;
  const third = await connectTo(app);
  const [served] = await accepted;
  for (const socket of [third, ...sockets]) expect(await idleTimeOf(socket)).toBe('timeout=5');
  third.destroy();
  await once(served, 'close');
  expect(await idleTimeOf(sockets[0])).toBe('timeout=72');
});

it('takes no connection above the limit, and serves those that it has', async () => {
  const app = await serverWith({ most: 2, crowd: 2 });
  const sockets = [await connectTo(app), await connectTo(app)];
  for (const socket of sockets) expect(await idleTimeOf(socket)).toBe('timeout=72');
  const dropped = once(app.server, 'drop');
  const third = await connectTo(app);
  await dropped;
  await once(third, 'close');
  for (const socket of sockets) expect(await idleTimeOf(socket)).toBe('timeout=72');
});
