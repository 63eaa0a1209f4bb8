import type { Server } from 'node:http';
import { SECOND_MS } from '../domain/time.ts';

/** Longer than the usual 5 s of reverse proxies, so that they close idle connections, not we. */
const KEEP_ALIVE_MS = 72 * SECOND_MS;
const CROWDED_KEEP_ALIVE_MS = 5 * SECOND_MS;

/** Decision 0025. Each open connection costs memory and a file descriptor, the idle ones too. */
const CONNECTION_LIMITS = { most: 10_000, crowd: 1000 } as const;

/**
 * The kernel takes no more than the limit; above the crowd an idle connection is closed sooner, so
 * that those who only hold connections don't keep out those who use theirs.
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
