import type { FastifyInstance } from 'fastify';
import type { Config, OperatorConfig } from '../config/config.ts';
import type { Finding } from '../operate/doctor/finding.ts';
import { metrics as metricsRoute } from '../origin/metrics.route.ts';
import type { HttpContext } from '../request/context.ts';
import { metricsListener } from '../request/metrics-listener.ts';
import { operatorRolesFile } from '../platform/files/operator-roles-file.ts';
import type { InheritedSockets } from '../server/inherited-sockets.ts';
import { listenOn } from '../server/listen-on.ts';
import type { Runtime } from './mode.ts';

interface Listener {
  listen(): Promise<void>;
  close(): Promise<void>;
}

interface Needs {
  readonly runtime: Runtime;
  readonly context: HttpContext;
  readonly sockets: InheritedSockets;
  /** Null where the doctor can't be started from this process. */
  readonly examine: (() => Promise<readonly Finding[]>) | null;
}

/** The listeners for those who run the service: of METRICS_PORT and OPERATOR_PORT, where they are set. */
export async function privateListeners(needs: Needs): Promise<Listener> {
  const { config } = needs.runtime;
  const listeners = [
    metricsOf(config, needs),
    config.operator === null ? null : await operatorOf(config.operator, needs),
  ].filter((one) => one !== null);
  return {
    async listen() {
      for (const one of listeners) await one.listen();
    },
    async close() {
      for (const one of listeners) await one.close();
    },
  };
}

function metricsOf(config: Config, { context, sockets }: Needs): Listener | null {
  const { metricsHost: host, metricsPort: port } = config;
  if (port === null) return null;
  const app = metricsListener(context, (listener) => metricsRoute(listener, context));
  const names = ['METRICS_HOST', 'METRICS_PORT'] as const;
  return listenerOf(app, () => listenOn(app, { host, port, names }, sockets.metrics));
}

/** Loads the pages for operators only where they are on. */
async function operatorOf(
  { host, port, url, allowedHosts, people }: OperatorConfig,
  { runtime, context, examine }: Needs,
): Promise<Listener> {
  const { store, clock, random, keys, coordination, logger } = runtime;
  const { services } = context;
  const { operatorListener } = await import('../operator/operator-listener.ts');
  const app = operatorListener({
    store,
    clock,
    random,
    keys,
    pause: context.nextTurn,
    clients: () => services.clients.all(),
    counts: coordination.unknownIds,
    limits: coordination.requestLimits,
    examine,
    logFailure: services.logFailure,
    logWarning: (reason, message) => logger.warn({ reason }, message),
    people: people === null ? null : peopleOf(people),
    url,
    allowedHosts,
  });
  const names = ['OPERATOR_HOST', 'OPERATOR_PORT'] as const;
  return listenerOf(app, () => listenOn(app, { host, port, names }, null));
}

function peopleOf({ rolesFile, ...people }: NonNullable<OperatorConfig['people']>) {
  return { ...people, roles: operatorRolesFile(rolesFile) };
}

function listenerOf(app: FastifyInstance, listen: () => Promise<void>): Listener {
  return { listen, close: () => app.close() };
}
