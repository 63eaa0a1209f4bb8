import { NoContent } from '@miftah/contract';
import { RATE_POLICIES } from '../values/limits.ts';
import { revokeToken } from './use-api-token.flow.ts';
import { requireBearer, limitByAddress } from '../request/caller/caller.ts';
import type { Endpoint } from '../request/context.ts';
import { BEARER_SECURITY, problems, TAGS } from '../request/answer/openapi.ts';
import { BEARER_ERRORS } from './user.route.ts';

/** DELETE /tokens/{id}: signs out one of the person's devices. */
export const revokeTokenById: Endpoint = (app, context) => {
  app.route<{ Params: { token_id: string } }>({
    method: 'DELETE',
    url: '/tokens/:token_id',
    schema: {
      operationId: 'revokeToken',
      summary: "Revoke one of the person's tokens",
      tags: TAGS.tokens,
      security: BEARER_SECURITY,
      response: { 204: NoContent, ...problems([...BEARER_ERRORS, 'token.not_found']) },
    },
    onRequest: limitByAddress(context, RATE_POLICIES.bearer),
    handler: async (request, reply) => {
      const now = context.clock.now();
      const bearer = await requireBearer(context, request, now);
      await revokeToken(context.services, bearer, request.params.token_id, now);
      return reply.status(204).send();
    },
  });
};
