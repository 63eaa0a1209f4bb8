import type { FastifyReply, FastifyRequest } from 'fastify';

/**
 * One line a request, of listed members only. The route's pattern stands for the address: the real
 * one holds attempt ids and, in queries, codes.
 */
export function logRequest(request: FastifyRequest, reply: FastifyReply): void {
  // The request's own log would be made for this one line.
  request.server.log.info(
    {
      reqId: request.id,
      method: request.method,
      route: request.routeOptions.url ?? 'unknown',
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime * 10) / 10,
    },
    'request',
  );
}
