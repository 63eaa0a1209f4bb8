import type { FastifyReply } from 'fastify';

const UNKNOWN_PATH = 'No Mapping Rule matched';

/** What the provider's gateway says where it has nothing: a text, and no record. */
export function replyUnknownPath(reply: FastifyReply): FastifyReply {
  return reply.code(404).type('text/plain').send(UNKNOWN_PATH);
}
