import { AttemptPath } from '@miftah/contract';
import type { FastifyReply } from 'fastify';
import { Refusal } from '../../errors/refusal.ts';
import { HOUR_MS } from '../../values/time.ts';
import type { AttemptStatus } from '../read-attempt.flow.ts';
import { StatusWaiter } from './status-waiter.flow.ts';
import type { NoPlace } from './status-waiters.flow.ts';
import { isPending, waitForEnd } from './wait-for-end.flow.ts';
import { callerKeyOf } from '../../request/caller/caller.ts';
import type { Endpoint, HttpContext } from '../../request/context.ts';
import { headersNamed } from '../../request/answer/described-headers.ts';
import { EventStream } from '../../request/answer/event-stream.ts';
import { ATTEMPT_TOKEN_SECURITY, problems, TAGS } from '../../request/answer/openapi.ts';
import { statusReader, type StatusReader, type StatusRequest } from './status.route.ts';
import { admitWaiter, requireNoContent } from './waiting.route.ts';

/** An attempt expires sooner, which ends its stream. */
const LONGEST_STREAM_MS = HOUR_MS;
const RETRY_AFTER_SECONDS = 5;
/** Errors after which a later read can succeed: the stream stays open. */
const TEMPORARY = new Set<string>(['storage.unavailable', 'server.overloaded']);

/**
 * The id of an event: `1` while the attempt is pending, `2` afterwards. The same on every instance
 * and after a restart.
 */
type Revision = '1' | '2';

/**
 * GET /status/{attempt_id}/events: the status now and when the attempt ends, as server-sent events
 * (https://html.spec.whatwg.org/multipage/server-sent-events.html).
 */
export const statusEvents: Endpoint = (app, context) => {
  const reader = statusReader(context);
  app.route<{ Params: { attempt_id: string } }>({
    method: 'GET',
    url: '/status/:attempt_id/events',
    config: { attemptIn: ['params', 'attempt_id'] },
    // It would be a stream without events.
    exposeHeadRoute: false,
    schema: {
      operationId: 'watchStatus',
      summary: 'Watch the status of an attempt',
      description:
        'The first event comes at once, unless `Last-Event-ID` is its id; the last one when the ' +
        'attempt is no longer pending. Then the stream ends. A request whose `Last-Event-ID` is that ' +
        'of the last event is answered 204.',
      tags: TAGS.attempts,
      params: AttemptPath,
      describedHeaders: headersNamed('Last-Event-ID'),
      security: ATTEMPT_TOKEN_SECURITY,
      response: {
        200: EVENTS,
        204: { type: 'null', description: 'Nothing more will come.' },
        ...problems([
          'attempt.token_missing',
          'attempt.not_found',
          'request.content_unexpected',
          'rate_limited',
          'stream.limit_reached',
        ]),
      },
    },
    handler: async (request, reply) => {
      requireNoContent(request);
      // Read before the first wait: a client that leaves has no address any more.
      const address = callerKeyOf(context, request);
      const first = await reader.first(request, reply);
      const seen = request.headers['last-event-id'];
      if (!isPending(first) && seen === revisionOf(first)) return reply.status(204).send();
      if (!isPending(first)) return tellEnd(reader, reply, { context, first });
      const waiter = admitWaiter(context, { kind: 'stream', request, reply, first, address });
      if (!(waiter instanceof StatusWaiter)) throw noPlace(waiter);
      await stream({ context, reader, request, reply, waiter, first });
      return reply;
    },
  });
};

const EVENTS = {
  description: 'Events named `status`; their data is the `data` of `GET /status/{attempt_id}`.',
  content: { 'text/event-stream': { schema: { type: 'string' } } },
};

function noPlace({ limit }: NoPlace): Refusal {
  return new Refusal('stream.limit_reached', {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
    ...(limit === null ? {} : { violatedPolicies: [limit] }),
  });
}

function revisionOf(status: AttemptStatus): Revision {
  return isPending(status) ? '1' : '2';
}

/** Nothing is waited for, so it needs no place. */
function tellEnd(
  reader: StatusReader,
  reply: FastifyReply,
  { context, first }: Pick<Stream, 'context' | 'first'>,
): FastifyReply {
  const events = new EventStream(reply, context.timer);
  events.send('status', revisionOf(first), reader.present(first));
  events.end();
  return reply;
}

interface Stream {
  readonly context: HttpContext;
  readonly reader: StatusReader;
  readonly request: StatusRequest;
  readonly reply: FastifyReply;
  readonly waiter: StatusWaiter;
  readonly first: AttemptStatus;
}

async function stream({ context, reader, request, reply, waiter, first }: Stream): Promise<void> {
  const { timer } = context;
  const events = new EventStream(reply, timer);
  const send = (status: AttemptStatus) =>
    events.send('status', revisionOf(status), reader.present(status));
  try {
    if (request.headers['last-event-id'] !== revisionOf(first)) send(first);
    let known = first;
    const read = async () => {
      known = await orKnown(reader.again(request), known);
      // The head of this answer says another time than the events would: the next one is right.
      if (waiter.hasMoved) waiter.end('time_passed');
      return known;
    };
    const last = await waitForEnd({ waiter, timer, first, read, limitMs: LONGEST_STREAM_MS });
    if (!isPending(last)) send(last);
    waiter.end(isPending(last) ? 'time_passed' : 'attempt_ended');
  } catch (error) {
    // The attempt is gone. The answer has begun, so the stream can only end.
    context.services.logFailure(error, 'a stream of events was ended');
    waiter.end('failed');
  } finally {
    events.end();
  }
}

/** While the store can't be read, the stream stays. */
async function orKnown(
  reading: Promise<AttemptStatus>,
  known: AttemptStatus,
): Promise<AttemptStatus> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof Refusal && TEMPORARY.has(error.code)) return known;
    throw error;
  }
}
