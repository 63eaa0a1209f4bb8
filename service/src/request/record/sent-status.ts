import type { FastifyReply } from 'fastify';

/** Null when the client has left before anything was sent. */
export function sentStatus({ raw, statusCode }: FastifyReply): number | null {
  return raw.headersSent ? statusCode : null;
}
