import { AttemptPath, NoContent } from '@miftah/contract';
import { RATE_POLICIES } from '../../values/limits.ts';
import { cancelAttempt } from './cancel-attempt.flow.ts';
import { attemptTokenOf, callerOf, limitByCaller } from '../../request/caller/caller.ts';
import type { Endpoint } from '../../request/context.ts';
import { headersNamed } from '../../request/answer/described-headers.ts';
import { problems, TAGS } from '../../request/answer/openapi.ts';

/** DELETE /attempts/{attempt_id}: the application does not want the attempt any more. */
export const cancel: Endpoint = (app, context) => {
  app.route<{ Params: { attempt_id: string } }>({
    method: 'DELETE',
    url: '/attempts/:attempt_id',
    config: { attemptIn: ['params', 'attempt_id'] },
    schema: {
      operationId: 'cancelAttempt',
      summary: 'Cancel an attempt',
      description: 'The attempt is `rejected` then. A repetition succeeds.',
      tags: TAGS.attempts,
      security: [{ attemptToken: [], clientKey: [] }, { attemptToken: [] }],
      params: AttemptPath,
      describedHeaders: headersNamed('X-End-User-Address'),
      response: { 204: NoContent, ...problems(CANCELLING) },
    },
    onRequest: [
      async (request) => void attemptTokenOf(request),
      ...limitByCaller(context, RATE_POLICIES.cancel),
    ],
    handler: async (request, reply) => {
      const asked = {
        attemptId: request.params.attempt_id,
        attemptToken: attemptTokenOf(request),
        client: callerOf(context, request).client?.id ?? null,
      };
      await cancelAttempt(context.services, asked, context.clock.now());
      return reply.status(204).send();
    },
  });
};

const CANCELLING = [
  'attempt.token_missing',
  'attempt.not_found',
  'attempt.expired',
  'attempt.rejected',
  'attempt.failed',
  'attempt.already_redeemed',
  'validation.failed',
  'rate_limited',
] as const;
