import type { FastifyReply } from 'fastify';
import type { ErrorRecord } from '../engine/error-records.ts';
import type { PushAccepted, PushResult } from '../engine/results.ts';
import type { Timer } from '../platform.ts';

/** Everything that a push request can meet, as it looks on the wire. */
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
      // A text is sent as it is: nothing serialises it into something that could be parsed.
      return reply.code(200).type('application/json').send(result.body);
    case 'cut':
      return cutConnection(reply);
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

/** The caller sees the connection end without a byte of an answer. */
function cutConnection(reply: FastifyReply): FastifyReply {
  reply.hijack();
  reply.raw.destroy();
  return reply;
}
