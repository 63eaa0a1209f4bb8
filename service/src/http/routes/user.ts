import { RATE_POLICIES } from '../../domain/limits.ts';
import { requireBearer } from '../bearer.ts';
import type { Endpoint } from '../context.ts';
import { limitByAddress } from '../limit-rate.ts';
import { BEARER_SECURITY, problems, TAGS } from '../openapi.ts';
import { presentUser } from '../present.ts';
import { dataOf, USER } from '../wire.ts';

/** GET /user: whose token this is. */
export const user: Endpoint = (app, context) => {
  app.route({
    method: 'GET',
    url: '/user',
    schema: {
      operationId: 'readUser',
      summary: 'Read the user of the token',
      tags: TAGS.tokens,
      security: BEARER_SECURITY,
      response: { 200: dataOf(USER), ...problems(BEARING) },
    },
    onRequest: limitByAddress(context, RATE_POLICIES.bearer),
    handler: async (request) => {
      const { user: owner } = await requireBearer(context, request, context.clock.now());
      return { data: presentUser(owner) };
    },
  });
};

export const BEARING = [
  'token.missing',
  'token.in_address',
  'token.invalid',
  'rate_limited',
] as const;
