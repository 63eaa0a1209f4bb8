import type { FastifyReply, FastifyRequest } from 'fastify';
import { sentStatus } from './sent-status.ts';

/**
 * Logs one line per request with only these members. It contains the route's pattern instead of the
 * address, because addresses contain attempt ids and completion codes. A request that waits for the
 * end of an attempt has `ended`, the reason why its wait is over.
 */
export function logRequest(
  request: FastifyRequest,
  reply: FastifyReply,
  route: string | undefined,
): void {
  // Uses the server's log, because the request's own log would be created only for this line.
  request.server.log.info(
    {
      reqId: request.id,
      ...(request.traceId === null ? {} : { traceId: request.traceId }),
      method: request.method,
      route: route ?? 'unknown',
      status: sentStatus(reply),
      ms: Math.round(reply.elapsedTime * 10) / 10,
      ...(reply.wait === null ? {} : { ended: reply.wait.waiter.endedBy }),
    },
    'request',
  );
}
