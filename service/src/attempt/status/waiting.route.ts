import type { FastifyReply, FastifyRequest } from 'fastify';
import { Refusal } from '../../errors/refusal.ts';
import type { AttemptStatus } from '../read-attempt.flow.ts';
import { StatusWaiter } from './status-waiter.flow.ts';
import type { NoPlace } from './status-waiters.flow.ts';
import type { WaitKind } from '../../operate/metrics/meter.port.ts';
import type { HttpContext } from '../../request/context.ts';
import type { Ms } from '../../values/time.ts';
import { isPending, waitForEnd } from './wait-for-end.flow.ts';

/** A request that waits for the end of an attempt. */
export interface WaitingRequest {
  readonly kind: WaitKind;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly first: AttemptStatus;
  /** Read before the first wait, because a client that has left has no address any more. */
  readonly address: string;
}

/**
 * Content has no meaning in a GET (RFC 9110 section 9.3.1), and one that does not arrive would end
 * the connection in the middle of the wait.
 * @throws Refusal
 */
export function requireNoContent({ headers }: FastifyRequest): void {
  const { 'content-length': length = '0', 'transfer-encoding': coding } = headers;
  if (coding === undefined && Number(length) === 0) return;
  throw new Refusal('request.content_unexpected');
}

/** Asks for a place. It is given free when the client leaves. */
export function admitWaiter(
  { services }: HttpContext,
  { kind, request, reply, first, address }: WaitingRequest,
): StatusWaiter | NoPlace {
  const { attemptId, client } = first.attempt.record;
  const place = services.waiters.admit({ kind, attemptId, client, address });
  if (place instanceof StatusWaiter) endWithClient(place, request, reply);
  return place;
}

/** The end of the connection, because an answer behind another one is not told of it. */
function endWithClient(waiter: StatusWaiter, request: FastifyRequest, reply: FastifyReply): void {
  const { socket } = request.raw;
  reply.wait = { waiter, isReported: false };
  const leave = () => {
    waiter.end('client_left');
    // The framework reports only an answer that was sent.
    request.server.reportRequest(request, reply);
  };
  // A client can leave while the first status is read. Then the event has already come.
  if (socket.destroyed) return leave();
  socket.once('close', leave);
  reply.raw.once('finish', () => socket.removeListener('close', leave));
}

interface LongPoll extends Omit<WaitingRequest, 'kind'> {
  readonly read: () => Promise<AttemptStatus>;
  readonly limitMs: Ms;
}

/** The status at the end of the attempt or of the time; the first one where there is no place. */
export async function statusAtEnd(
  context: HttpContext,
  { read, limitMs, ...waiting }: LongPoll,
): Promise<AttemptStatus> {
  const { first } = waiting;
  const waiter = admitWaiter(context, { kind: 'poll', ...waiting });
  if (!(waiter instanceof StatusWaiter)) return first;
  try {
    const last = await waitForEnd({ waiter, timer: context.timer, first, read, limitMs });
    waiter.end(isPending(last) ? 'time_passed' : 'attempt_ended');
    return last;
  } finally {
    waiter.end('failed');
  }
}
