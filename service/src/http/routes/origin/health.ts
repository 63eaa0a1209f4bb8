import { unreadiness } from '../../../flow/readiness.ts';
import type { Endpoint } from '../../context.ts';

/** For load balancers. GET /livez: the process answers. GET /readyz: it can do its work. */
export const health: Endpoint = (app, { services, timekeeper }) => {
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
      const reason = unreadiness(services.store, timekeeper);
      if (reason === null) return { status: 'ready' };
      return reply.status(503).send({ status: 'not_ready', reason });
    },
  });
};
