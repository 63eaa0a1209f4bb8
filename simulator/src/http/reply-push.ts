import type { FastifyReply } from 'fastify';
import type { ErrorRecord } from '../engine/error-records.ts';
import type { PushAccepted, PushResult } from '../engine/results.ts';
import type { Timer } from '../timer.ts';

/**
 * Sends the answer to a push request, or its fault.
 * @param reply has the status for an accepted push
 */
export async function replyPush(
  reply: FastifyReply,
  result: PushResult,
  timer: Timer,
  closing: AbortSignal,
): Promise<FastifyReply> {
  if (result.ok) return replyAccepted(reply, result);
  switch (result.kind) {
    case 'record':
      return replyRecord(reply, result.record);
    case 'gateway':
      return reply.code(result.status).type('text/plain').send(result.text);
    case 'outage':
      return reply.code(result.status).type(result.mediaType).send(result.body);
    case 'malformed':
      // A text body is sent unchanged, so the answer stays invalid JSON.
      return reply.type('application/json').send(result.body);
    case 'cut':
      return cutConnection(reply, result.body);
    case 'timeout':
      await timer.sleep(result.afterMs, closing);
      return replyAccepted(reply, result.late);
    default:
      return result satisfies never;
  }
}

export function replyRecord(reply: FastifyReply, record: ErrorRecord): FastifyReply {
  return reply.code(Number(record.status)).type('application/json').send(record);
}

function replyAccepted(reply: FastifyReply, accepted: PushAccepted): FastifyReply {
  return reply.send({ transId: accepted.transactionId, random: accepted.bindingCode });
}

/**
 * Sends the head and a part of the body, then ends the connection. If nothing were sent, some HTTP
 * clients would take a reused connection as closed and send the request again (RFC 9112 section
 * 9.3.1): the person would be asked twice.
 */
function cutConnection(reply: FastifyReply, part: string): FastifyReply {
  const { raw } = reply.hijack();
  raw.statusCode = reply.statusCode;
  for (const [name, value = ''] of Object.entries(reply.getHeaders())) raw.setHeader(name, value);
  raw.setHeader('content-type', 'application/json; charset=utf-8');
  raw.setHeader('content-length', Buffer.byteLength(part) + 1);
  raw.write(part, () => raw.destroy());
  return reply;
}
