import { NoContent } from '@miftah/contract';
import { RATE_POLICIES } from '../../domain/limits.ts';
import { revokeToken } from '../../flow/token/use-api-token.ts';
import { requireBearer } from '../bearer.ts';
import type { Endpoint } from '../context.ts';
import { limitByAddress } from '../limit-rate.ts';
import { BEARER_SECURITY, problems, TAGS } from '../openapi.ts';
import { BEARING } from './user.ts';

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
      response: { 204: NoContent, ...problems([...BEARING, 'token.not_found']) },
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
