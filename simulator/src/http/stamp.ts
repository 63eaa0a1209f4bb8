import type { FastifyInstance } from 'fastify';
import type { Clock } from '../engine/ports.ts';

/** Headers of every answer of the simulator, including errors. */
export function stampAnswers(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('X-Auth-Mode', 'simulator');
    reply.header('Cache-Control', 'no-store');
    reply.header('X-Request-Id', request.id);
    done();
  });
}

/**
 * Has the answers of a scope say the time of the clock that they are made with. Where scopes are
 * inside one another, the inner one decides: the provider's clock can be ahead of the others.
 */
export function dateAnswers(app: FastifyInstance, clock: Clock): void {
  app.addHook('onSend', (_request, reply, _payload, done) => {
    reply.header('Date', dateOf(clock));
    done();
  });
}

export function dateOf(clock: Clock): string {
  return new Date(clock.now()).toUTCString();
}
