import type { FastifyReply } from 'fastify';

const UNKNOWN_PATH = 'No Mapping Rule matched';

/** The gateway's answer to an unknown path: a text, not an error record. */
export function replyUnknownPath(reply: FastifyReply): FastifyReply {
  return reply.code(404).type('text/plain').send(UNKNOWN_PATH);
}
