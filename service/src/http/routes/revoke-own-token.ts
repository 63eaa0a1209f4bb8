import { NoContent } from '@miftah/contract';
import { RATE_POLICIES } from '../../domain/limits.ts';
import { revokeToken } from '../../flow/token/use-api-token.ts';
import { requireBearer } from '../bearer.ts';
import type { Endpoint } from '../context.ts';
import { limitByAddress } from '../limit-rate.ts';
import { BEARER_SECURITY, problems, TAGS } from '../openapi.ts';
import { BEARING } from './user.ts';

/** DELETE /token: signs out this device. */
export const revokeOwnToken: Endpoint = (app, context) => {
  app.route({
    method: 'DELETE',
    url: '/token',
    schema: {
      operationId: 'revokeOwnToken',
      summary: 'Revoke the token of this request',
      tags: TAGS.tokens,
      security: BEARER_SECURITY,
      response: { 204: NoContent, ...problems([...BEARING, 'token.not_found']) },
    },
    onRequest: limitByAddress(context, RATE_POLICIES.bearer),
    handler: async (request, reply) => {
      const now = context.clock.now();
      const bearer = await requireBearer(context, request, now);
      await revokeToken(context.services, bearer, bearer.token.tokenId, now);
      return reply.status(204).send();
    },
  });
};
