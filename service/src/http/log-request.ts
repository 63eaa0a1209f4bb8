import type { FastifyReply, FastifyRequest } from 'fastify';

/**
 * Logs one line per request with only these members. It contains the route's pattern instead of the
 * address, because addresses contain attempt ids and completion codes.
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
      method: request.method,
      route: route ?? 'unknown',
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime * 10) / 10,
    },
    'request',
  );
}
