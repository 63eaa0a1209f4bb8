import type { FastifyReply } from 'fastify';
import type { ErrorRecord } from '../engine/error-records.ts';

/** An answer in place of the one that the operation has. */
export type RefusedAnswer =
  | { readonly kind: 'record'; readonly record: ErrorRecord }
  | { readonly kind: 'gateway'; readonly status: number; readonly text: string }
  | {
      readonly kind: 'outage';
      readonly status: number;
      readonly mediaType: 'text/html' | 'text/plain';
      readonly body: string;
    };

export function replyRefusal(reply: FastifyReply, refused: RefusedAnswer): FastifyReply {
  switch (refused.kind) {
    case 'record':
      return replyRecord(reply, refused.record);
    case 'gateway':
      return reply.code(refused.status).type('text/plain').send(refused.text);
    case 'outage':
      return reply.code(refused.status).type(refused.mediaType).send(refused.body);
  }
}

export function replyRecord(reply: FastifyReply, record: ErrorRecord): FastifyReply {
  return reply.code(Number(record.status)).type('application/json').send(record);
}

/**
 * Sends the head and a part of the body, then ends the connection. If nothing were sent, some HTTP
 * clients would take a reused connection as closed and send the request again (RFC 9112 section
 * 9.3.1): the person would be asked twice.
 */
export function cutConnection(reply: FastifyReply, part: string): FastifyReply {
  const { raw } = reply.hijack();
  raw.statusCode = reply.statusCode;
  for (const [name, value = ''] of Object.entries(reply.getHeaders())) raw.setHeader(name, value);
  raw.setHeader('content-type', 'application/json; charset=utf-8');
  raw.setHeader('content-length', Buffer.byteLength(part) + 1);
  raw.write(part, () => raw.destroy());
  return reply;
}
