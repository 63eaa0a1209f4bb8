import type { FastifyInstance } from 'fastify';

/** Headers of every answer of the simulator, including errors. */
export function stampAnswers(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('X-Auth-Mode', 'simulator');
    reply.header('Cache-Control', 'no-store');
    reply.header('X-Request-Id', request.id);
    done();
  });
}
