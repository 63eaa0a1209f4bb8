import type { FastifyInstance, FastifyReply, RouteOptions } from 'fastify';
import { Refusal } from '../../errors/refusal.ts';
import { CONNECTION_LIMIT, QUEUE_LIMIT } from '../../values/limits.ts';
import type { Meter, RouteMeter } from '../../operate/metrics/meter.port.ts';
import { sentStatus } from './sent-status.ts';

/**
 * Prepares the numbers of each route when it is added, so that a request only finds them. Must be
 * called before the routes are added.
 * @returns counts one answer, if any was sent; `meter` is undefined for requests without a route
 */
export function meterRequests(app: FastifyInstance, meter: Meter) {
  // Neither method nor address of such a request is a label, because callers choose them.
  const unknown = meter.route('any', 'unknown');
  app.addHook('onRoute', (route: RouteOptions) => {
    route.config = { ...route.config, meter: meter.route(methodOf(route), route.url) };
  });
  return (reply: FastifyReply, ofRoute: RouteMeter | undefined) => {
    const status = sentStatus(reply);
    if (status !== null) (ofRoute ?? unknown).observe(status, reply.elapsedTime);
  };
}

function methodOf({ method }: RouteOptions): string {
  return [method].flat().join(',');
}

/** Counts connections that are refused because there are too many. */
export function meterConnections({ server }: FastifyInstance, meter: Meter): void {
  server.on('drop', () => meter.limitHit(CONNECTION_LIMIT));
}

/** Counts an error that says that there is too much to do, apart from the rate limits. */
export function meterOverload(error: unknown, meter: Meter): void {
  const isOverload = error instanceof Refusal && error.code === 'server.overloaded';
  if (isOverload) meter.limitHit(error.details.limit ?? QUEUE_LIMIT);
}
