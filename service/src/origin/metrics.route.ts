import { standingOf } from '../operate/readiness.flow.ts';
import type { Endpoint } from '../request/context.ts';

/** GET /metrics: numbers for Prometheus. No number is about one person or one attempt. */
export const metrics: Endpoint = (app, context) => {
  const { services } = context;
  app.route({
    method: 'GET',
    url: '/metrics',
    logLevel: 'warn',
    handler: async (_, reply) => {
      const standing = standingOf(services.store, context);
      const { mediaType } = services.meter;
      return reply.type(mediaType).send(await services.meter.render(standing));
    },
  });
};
