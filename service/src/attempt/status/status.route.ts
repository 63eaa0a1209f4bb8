import type * as wire from '@miftah/contract';
import { AttemptPath, LONGEST_WAIT_SECONDS, type StatusQuery } from '@miftah/contract';
import { OPERATIONS } from '@miftah/contract/operations';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { SECOND_MS, type Ms } from '../../values/time.ts';
import { type AttemptStatus, readStatus } from '../read-attempt.flow.ts';
import { isPending } from './wait-for-end.flow.ts';
import { callerKeyOf, attemptTokenOf, consume } from '../../request/caller/caller.ts';
import type { Endpoint, HttpContext } from '../../request/context.ts';
import { headersNamed } from '../../request/answer/described-headers.ts';
import { ATTEMPT_TOKEN_SECURITY, problems, TAGS } from '../../request/answer/openapi.ts';
import { requireNoContent, statusAtEnd } from './waiting.route.ts';
import type { ErrorCode } from '../../errors/catalogue.ts';
import { Refusal } from '../../errors/refusal.ts';
import { RATE_POLICIES } from '../../values/limits.ts';
import { presentMaskedUser, presentStatus, presentUser } from '../../request/answer/present.ts';

type Parts = { Params: { attempt_id: string }; Querystring: StatusQuery };

/**
 * GET /status/{attempt_id}, for the holder of the attempt token: at once, or as soon as the attempt
 * is no longer pending.
 */
export const status: Endpoint = (app, context) => {
  const reader = statusReader(context);
  app.route<Parts>({
    method: 'GET',
    url: '/status/:attempt_id',
    config: { attemptIn: ['params', 'attempt_id'] },
    schema: {
      operationId: 'readStatus',
      summary: 'Read the status of an attempt',
      tags: TAGS.attempts,
      params: AttemptPath,
      querystring: OPERATIONS.readStatus.query,
      describedHeaders: headersNamed('Prefer'),
      security: ATTEMPT_TOKEN_SECURITY,
      response: {
        200: OPERATIONS.readStatus.answer,
        ...problems([
          'attempt.token_missing',
          'attempt.not_found',
          'request.content_unexpected',
          'rate_limited',
          'validation.failed',
        ]),
      },
    },
    // The handler first checks the token, so it reports errors of the query itself.
    attachValidation: true,
    handler: async (request, reply) => {
      const limitMs = waitOf(request);
      if (limitMs > 0) requireNoContent(request);
      // Read before the first wait: a client that leaves has no address any more.
      const address = limitMs === 0 ? null : callerKeyOf(context, request);
      const first = await reader.first(request, reply);
      if (request.validationError !== undefined) throw request.validationError;
      if (address === null || !isPending(first)) return { data: reader.present(first) };
      const read = () => reader.again(request);
      const last = await statusAtEnd(context, { first, request, reply, address, read, limitMs });
      return { data: reader.present(last) };
    },
  });
};

/** By `?wait=25`, or by `Prefer: wait=25` (RFC 7240), of which a longer time is shortened. */
function waitOf({ query, headers }: FastifyRequest<Parts>): Ms {
  const { prefer } = headers;
  const [, preferred = '0'] =
    /(?:^|[,;])\s*wait\s*=\s*"?(\d{1,6})"?\s*(?:$|[,;])/i.exec(String(prefer ?? '')) ?? [];
  const seconds = Number(query.wait ?? preferred);
  return Math.min(seconds, LONGEST_WAIT_SECONDS) * SECOND_MS;
}

/** The errors for a caller without the right token. */
const FAILURES: ReadonlySet<ErrorCode> = new Set(['attempt.token_missing', 'attempt.not_found']);

export type StatusRequest = FastifyRequest<{ Params: { attempt_id: string } }>;

/** Reads the status of an attempt for the holder of its token: once, or again and again. */
export interface StatusReader {
  /** Counts the request. @throws Refusal */
  first(request: StatusRequest, reply: FastifyReply): Promise<AttemptStatus>;
  /** For a caller who waits, without counting. @throws Refusal */
  again(request: StatusRequest): Promise<AttemptStatus>;
  present(status: AttemptStatus): wire.AttemptStatus;
}

export function statusReader(context: HttpContext): StatusReader {
  const { services, clock } = context;
  const isMasked = services.rules.statusShows === 'masked';
  const presentPerson = isMasked ? presentMaskedUser : presentUser;

  function read(request: StatusRequest, admit: () => Promise<void>) {
    const { attempt_id: attemptId } = request.params;
    const caller = { attemptId, attemptToken: attemptTokenOf(request) };
    return readStatus(services, caller, clock.now(), admit);
  }

  return {
    async first(request, reply) {
      const { attempt_id: attemptId } = request.params;
      const now = clock.now();
      const admit = () => consume(context, reply, RATE_POLICIES.status, attemptId, now);
      try {
        return await read(request, admit);
      } catch (error) {
        // Only failures are counted by address, so guessing can't use up the limit of a valid
        // token's holder.
        if (error instanceof Refusal && FAILURES.has(error.code)) {
          await consume(
            context,
            reply,
            RATE_POLICIES.statusFailures,
            callerKeyOf(context, request),
            now,
          );
        }
        throw error;
      }
    },
    again: async (request) => read(request, async () => undefined),
    present: (found) => presentStatus(found, presentPerson),
  };
}
