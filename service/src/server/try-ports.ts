import { once } from 'node:events';
import { createServer } from 'node:net';
import { listenError, type Place } from '@miftah/schema/listen-error';
import type { Config } from '../config/config.ts';
import type { Timer } from '../platform/runtime.port.ts';
import type { InheritedSockets } from './inherited-sockets.ts';

/** A service that is just ending has its port for a moment, as it has the lock of its folder. */
const WAIT_MS = 2000;
const PAUSE_MS = 100;

type Settings = Pick<Config, 'host' | 'port' | 'metricsHost' | 'metricsPort' | 'operator'>;

/**
 * Listens where the service will listen, and stops at once: a start that can't listen must not have
 * written anything. The ports are not kept, because a connection would then be accepted that nobody
 * answers before the store is open; a proxy sends a request elsewhere when its connection is refused.
 * @throws Error that says what to do
 */
export async function tryPorts(
  { host, port, metricsHost, metricsPort, operator }: Settings,
  sockets: InheritedSockets,
  timer: Timer,
): Promise<void> {
  if (sockets.api === null) await tryPlace({ host, port, names: ['HOST', 'PORT'] }, timer);
  if (sockets.metrics === null && metricsPort !== null) {
    const names = ['METRICS_HOST', 'METRICS_PORT'] as const;
    await tryPlace({ host: metricsHost, port: metricsPort, names }, timer);
  }
  if (operator === null) return;
  await tryPlace({ ...operator, names: ['OPERATOR_HOST', 'OPERATOR_PORT'] }, timer);
}

async function tryPlace(place: Place, timer: Timer): Promise<void> {
  for (let waited = 0; ; waited += PAUSE_MS) {
    try {
      await portOf(place);
      return;
    } catch (error) {
      if (!isTaken(error) || waited >= WAIT_MS) throw listenError(error, place);
    }
    await new Promise<void>((resolve) => void timer.after(PAUSE_MS, resolve));
  }
}

const isTaken = (error: unknown) =>
  error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';

/**
 * A port that is free now. It is released again before the service uses it, because addresses that
 * contain it must be known first. If another program takes it meanwhile, the start fails and says
 * so.
 */
export async function findFreePort(host: string): Promise<number> {
  return portOf({ host, port: 0 });
}

/** The port that was listened on for a moment. No connection is accepted in it. */
async function portOf({ host, port }: Pick<Place, 'host' | 'port'>): Promise<number> {
  const server = createServer().listen(port, host);
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port was given');
  return address.port;
}
