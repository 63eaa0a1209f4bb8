import { once } from 'node:events';
import { openSync, closeSync } from 'node:fs';
import { createServer } from 'node:net';
import { devNull } from 'node:os';
import { expect, it, onTestFinished } from 'vitest';
import { chooseSockets } from './inherited-sockets.ts';

/** A socket that listens, as a supervisor would hand it over. */
async function socketOn(host: string): Promise<{ fd: number; port: number }> {
  const server = createServer().listen(0, host);
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const handle: unknown = Reflect.get(server, '_handle');
  const address = server.address();
  if (typeof handle !== 'object' || handle === null) throw new Error('it has no handle');
  if (address === null || typeof address === 'string') throw new Error('it has no port');
  return { fd: Number(Reflect.get(handle, 'fd')), port: address.port };
}

const NO_METRICS = { metricsHost: '127.0.0.1', metricsPort: null };

it.each([
  ['127.0.0.1', '127.0.0.1'],
  ['127.0.0.1', 'localhost'],
  ['0.0.0.0', '0.0.0.0'],
  ['::1', '::1'],
  ['::1', '0:0:0:0:0:0:0:1'],
  ['::', '::'],
])('a socket on %s is that of HOST=%s', async (address, host) => {
  const { fd, port } = await socketOn(address);
  const chosen = await chooseSockets([fd], { host, port, ...NO_METRICS });
  expect(chosen).toEqual({ api: { fd, address, port }, metrics: null });
});

it('sockets are told apart by their addresses, in any order', async () => {
  const [one, other] = [await socketOn('127.0.0.1'), await socketOn('::1')];
  const own = { host: '127.0.0.1', port: one.port };
  const ofMetrics = { metricsHost: '::1', metricsPort: other.port };
  const chosen = await chooseSockets([other.fd, one.fd], { ...own, ...ofMetrics });
  expect([chosen.api?.fd, chosen.metrics?.fd]).toEqual([one.fd, other.fd]);
});

it('a socket on all addresses is not that of one address', async () => {
  const { fd, port } = await socketOn('0.0.0.0');
  const choosing = chooseSockets([fd], { host: '127.0.0.1', port, ...NO_METRICS });
  await expect(choosing).rejects.toThrow(
    `listens on 0.0.0.0:${port}, but HOST and PORT say 127.0.0.1:${port}, and METRICS_PORT is not set`,
  );
});

it('a descriptor that is no socket is refused', async () => {
  const fd = openSync(devNull, 'r');
  onTestFinished(() => closeSync(fd));
  const choosing = chooseSockets([fd], { host: '127.0.0.1', port: 3000, ...NO_METRICS });
  await expect(choosing).rejects.toThrow(`the descriptor ${fd} is no TCP socket that listens`);
});
