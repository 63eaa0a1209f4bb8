import { once } from 'node:events';
import { listenError } from '@miftah/schema/listen-error';
import type { HttpContext } from '../request/context.ts';
import { createMetricsListener } from '../request/metrics-listener.ts';
import type { Config } from '../config/config.ts';
import type { InheritedSocket } from '../server/inherited-sockets.ts';

/** The listener of METRICS_PORT; nothing when that is not set. */
export interface MetricsServer {
  /** @throws Error that says what to do */
  listen(socket: InheritedSocket | null): Promise<void>;
  close(): Promise<void>;
}

export function openMetricsServer(
  { metricsHost: host, metricsPort: port }: Config,
  context: HttpContext,
): MetricsServer {
  if (port === null) return { listen: async () => undefined, close: async () => undefined };
  const server = createMetricsListener(context);
  return {
    async listen(socket) {
      server.listen(socket === null ? { host, port } : { fd: socket.fd });
      await once(server, 'listening').catch((error: unknown) => {
        throw listenError(error, { host, port, names: ['METRICS_HOST', 'METRICS_PORT'] });
      });
    },
    async close() {
      if (!server.listening) return;
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
