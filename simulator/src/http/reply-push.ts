import type { FastifyReply } from 'fastify';
import type { PushAccepted, PushResult } from '../engine/results.ts';
import type { Timer } from '../timer.ts';
import { cutConnection, replyRefusal } from './faulty-answer.ts';

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
    case 'malformed':
      // A text body is sent unchanged, so the answer stays invalid JSON.
      return reply.type('application/json').send(result.body);
    case 'cut':
      return cutConnection(reply, result.body);
    case 'timeout':
      await timer.sleep(result.afterMs, closing);
      return replyAccepted(reply, result.late);
    case 'record':
    case 'gateway':
    case 'outage':
      return replyRefusal(reply, result);
  }
}

function replyAccepted(reply: FastifyReply, accepted: PushAccepted): FastifyReply {
  return reply.send({ transId: accepted.transactionId, random: accepted.bindingCode });
}
