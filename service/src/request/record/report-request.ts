import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { StatusWaiter } from '../../attempt/status/status-waiter.flow.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** Logs, counts and traces a request that is over. */
    reportRequest: (request: FastifyRequest, reply: FastifyReply) => void;
  }
  interface FastifyReply {
    /** Of a request that waits for the end of an attempt. */
    wait: Wait | null;
  }
}

interface Wait {
  readonly waiter: StatusWaiter;
  isReported: boolean;
}

/**
 * Reports each request once: when its answer was sent, and one that waits also when its client has
 * left. Must be called before the routes are added.
 */
export function reportRequests(
  app: FastifyInstance,
  report: (request: FastifyRequest, reply: FastifyReply) => void,
): void {
  const reportOnce = (request: FastifyRequest, reply: FastifyReply) => {
    const { wait } = reply;
    if (wait !== null) {
      if (wait.isReported) return;
      wait.isReported = true;
    }
    report(request, reply);
  };
  app.decorateReply('wait', null);
  app.decorate('reportRequest', reportOnce);
  app.addHook('onResponse', (request, reply, done) => {
    reportOnce(request, reply);
    done();
  });
}
