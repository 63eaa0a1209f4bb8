import type { FastifyInstance } from 'fastify';

/** Aborted when the application begins to close: whoever waits then is answered at once. */
export function closingOf(app: Pick<FastifyInstance, 'addHook'>): AbortSignal {
  const closing = new AbortController();
  app.addHook('preClose', (done) => {
    closing.abort();
    done();
  });
  return closing.signal;
}
