import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { NO_SOCKETS } from './inherited-sockets.ts';
import { findFreePort, tryPorts } from './try-ports.ts';

const HOST = '127.0.0.1';

/** Waits for nobody, and does `meanwhile` in each pause. */
function pauses(meanwhile: () => Promise<void> | void = () => undefined) {
  let count = 0;
  const timer = {
    after: (_: number, work: () => void) => {
      count += 1;
      void Promise.resolve(meanwhile()).then(work);
      return () => undefined;
    },
  };
  return { timer, count: () => count };
}

async function taken(): Promise<{ readonly server: Server; readonly port: number }> {
  const server = createServer().listen(0, HOST);
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return { server, port: (server.address() as AddressInfo).port };
}

const settingsOf = (port: number, metricsPort: number | null = null) => ({
  host: HOST,
  port,
  metricsHost: HOST,
  metricsPort,
  operator: null,
});

it('leaves a free port free', async () => {
  const port = await findFreePort(HOST);
  const { timer, count } = pauses();
  await tryPorts(settingsOf(port), NO_SOCKETS, timer);
  expect(count()).toBe(0);
  const server = createServer().listen(port, HOST);
  onTestFinished(() => void server.close());
  await once(server, 'listening');
});

it('waits two seconds for a predecessor, and then names the settings', async () => {
  const { port } = await taken();
  const { timer, count } = pauses();
  await expect(tryPorts(settingsOf(port), NO_SOCKETS, timer)).rejects.toThrow(
    `${HOST}:${port} is taken by another program. Stop it, or set PORT`,
  );
  expect(count()).toBe(20);
  const free = await findFreePort(HOST);
  await expect(tryPorts(settingsOf(free, port), NO_SOCKETS, timer)).rejects.toThrow(
    'set METRICS_PORT',
  );
});

it('takes a port that becomes free meanwhile', async () => {
  const { server, port } = await taken();
  const { timer } = pauses(async () => {
    server.close();
    await once(server, 'close');
  });
  await tryPorts(settingsOf(port), NO_SOCKETS, timer);
});

it('does not wait for an address that the machine does not have', async () => {
  const { timer, count } = pauses();
  const elsewhere = { ...settingsOf(4000), host: '192.0.2.1' };
  await expect(tryPorts(elsewhere, NO_SOCKETS, timer)).rejects.toThrow('Set HOST to one that is');
  expect(count()).toBe(0);
});

it('tries nothing where a supervisor has handed over the socket', async () => {
  const { port } = await taken();
  const socket = { fd: 3, address: HOST, port };
  const { timer } = pauses();
  await tryPorts(settingsOf(port, port), { api: socket, metrics: socket }, timer);
});
