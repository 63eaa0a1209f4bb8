import { reasonsToStayAway, warningsOf } from '../operate/readiness.flow.ts';
import type { Endpoint } from '../request/context.ts';

/** For load balancers. GET /livez: the process answers. GET /readyz: it can do its work. */
export const health: Endpoint = (app, { services, timekeeper, drain }) => {
  app.route({
    method: 'GET',
    url: '/livez',
    logLevel: 'warn',
    handler: async () => ({ status: 'live' }),
  });
  app.route({
    method: 'GET',
    url: '/readyz',
    logLevel: 'warn',
    handler: async (_, reply) => {
      const [first, ...others] = reasonsToStayAway(services.store, timekeeper, drain);
      const warnings = warningsOf(timekeeper);
      const more = warnings.length === 0 ? {} : { warnings };
      if (first === undefined) return { status: 'ready', ...more };
      const failed = [first, ...others].map(({ check, reason, remedy }) => {
        return { check, reason, remedy };
      });
      return reply.status(503).send({ status: 'not_ready', reason: first.reason, failed, ...more });
    },
  });
};
