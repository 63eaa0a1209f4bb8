import { once } from 'node:events';
import { connect, type AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createGuardedServer } from '../src/http/guarded-server.ts';

const HEADERS_MS = 5000;

async function listen() {
  const server = createGuardedServer((_request, response) => response.end('done'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { server, port: (server.address() as AddressInfo).port };
}

describe('connections to the simulator', () => {
  it('whose headers do not arrive are ended after five seconds, with 408', async () => {
    const { server, port } = await listen();
    expect(server.headersTimeout).toBe(HEADERS_MS);
    const socket = connect(port, '127.0.0.1');
    socket.write('GET /livez HTTP/1.1\r\nHost: localhost\r\n');
    expect(await text(socket)).toContain('HTTP/1.1 408 ');
  });

  it('are refused when too many are open, and accepted again', async () => {
    const { server, port } = await listen();
    expect(server.maxConnections).toBe(10_000);
    server.maxConnections = 1;
    const first = connect(port, '127.0.0.1');
    await Promise.all([once(first, 'connect'), once(server, 'connection')]);
    const refused = connect(port, '127.0.0.1');
    refused.resume().on('error', () => undefined);
    await once(refused, 'close');
    first.destroy();
    const ended = once(first, 'close');
    await ended;
    expect(await (await fetch(`http://127.0.0.1:${port}/`)).text()).toBe('done');
  });
});
