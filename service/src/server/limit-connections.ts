import type { Server } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { SECOND_MS } from '../values/time.ts';
import type { StatusWaiters } from '../attempt/status/status-waiters.flow.ts';

/** Longer than reverse proxies keep idle connections, so that they close them and not we. */
const KEEP_ALIVE_MS = 72 * SECOND_MS;
const CROWDED_KEEP_ALIVE_MS = 5 * SECOND_MS;

/** Every open connection, even an idle one, needs memory and a file descriptor (decision 0025). */
const CONNECTION_LIMITS = { most: 10_000, crowd: 1000 } as const;

/**
 * Limits the number of connections to `most`. With more than `crowd` open, idle ones are closed
 * sooner, so that clients that only hold connections do not lock out others.
 */
export function limitConnections(
  server: Server,
  { most, crowd }: { readonly most: number; readonly crowd: number } = CONNECTION_LIMITS,
): void {
  server.maxConnections = most;
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  let open = 0;
  const count = (change: number) => {
    open += change;
    server.keepAliveTimeout = open > crowd ? CROWDED_KEEP_ALIVE_MS : KEEP_ALIVE_MS;
  };
  server.on('connection', (socket) => {
    count(1);
    socket.once('close', () => count(-1));
  });
}

/**
 * Whoever waits for a status has a connection besides these, so none is kept from a sign-in. When
 * the server closes, those who wait are sent to another instance.
 */
export function allowWaiters(app: FastifyInstance, waiters: StatusWaiters): void {
  const { server } = app;
  const most = server.maxConnections;
  waiters.whenChanged((connected) => {
    server.maxConnections = most + connected;
  });
  app.addHook('preClose', (done) => {
    waiters.stop();
    done();
  });
}
