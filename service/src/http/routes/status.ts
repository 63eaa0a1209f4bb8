import { AttemptPath, AttemptStatus, dataOf } from '@miftah/contract';
import type { ErrorCode } from '../../domain/errors/catalogue.ts';
import { Refusal } from '../../domain/errors/refusal.ts';
import { RATE_POLICIES } from '../../domain/limits.ts';
import type { Ms } from '../../domain/time.ts';
import { readStatus } from '../../flow/outcome/read-status.ts';
import { attemptTokenOf } from '../attempt-token-header.ts';
import { clientKey } from '../client-address.ts';
import type { Endpoint, HttpContext } from '../context.ts';
import { consume } from '../limit-rate.ts';
import { ATTEMPT_TOKEN_SECURITY, problems, TAGS } from '../openapi.ts';
import { presentMaskedUser, presentStatus, presentUser } from '../present.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** The errors for a caller without the right token. */
const FAILURES: ReadonlySet<ErrorCode> = new Set(['attempt.token_missing', 'attempt.not_found']);

type Parameters = { Params: { attempt_id: string } };

/** GET /status/{attempt_id}, for the holder of the attempt token. */
export const status: Endpoint = (app, context) => {
  const isMasked = context.services.rules.statusShows === 'masked';
  const present = isMasked ? presentMaskedUser : presentUser;
  app.route<Parameters>({
    method: 'GET',
    url: '/status/:attempt_id',
    schema: {
      operationId: 'readStatus',
      summary: 'Read the status of an attempt',
      tags: TAGS.attempts,
      params: AttemptPath,
      security: ATTEMPT_TOKEN_SECURITY,
      response: {
        200: dataOf(AttemptStatus),
        ...problems(['attempt.token_missing', 'attempt.not_found', 'rate_limited']),
      },
    },
    handler: async (request, reply) => {
      const now = context.clock.now();
      const found = read(request, reply, now).catch((error: unknown) =>
        refuse(context, request, reply, error, now),
      );
      return { data: presentStatus(await found, present) };
    },
  });

  async function read(request: FastifyRequest<Parameters>, reply: FastifyReply, now: Ms) {
    const { attempt_id: attemptId } = request.params;
    const attemptToken = attemptTokenOf(request);
    const admit = () => consume(context, reply, RATE_POLICIES.status, attemptId, now);
    return readStatus(context.services, { attemptId, attemptToken }, now, admit);
  }
};

/**
 * Only failures are counted by address, so guessing can't use up the limit of a valid token's
 * holder.
 */
async function refuse(
  context: HttpContext,
  request: FastifyRequest,
  reply: FastifyReply,
  error: unknown,
  now: Ms,
): Promise<never> {
  if (error instanceof Refusal && FAILURES.has(error.code)) {
    await consume(context, reply, RATE_POLICIES.statusFailures, clientKey(request), now);
  }
  throw error;
}
