import type { Endpoint } from '../../context.ts';

/** GET /metrics: numbers for Prometheus. No number is about one person or one attempt. */
export const metrics: Endpoint = (app, { services: { meter } }) => {
  app.route({
    method: 'GET',
    url: '/metrics',
    logLevel: 'warn',
    handler: async (_, reply) => reply.type(meter.mediaType).send(await meter.render()),
  });
};
