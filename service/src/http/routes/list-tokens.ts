import { RATE_POLICIES } from '../../domain/limits.ts';
import { listTokens } from '../../flow/use-api-token.ts';
import { requireBearer } from '../bearer.ts';
import type { Endpoint } from '../context.ts';
import { limitByAddress } from '../limit-rate.ts';
import { BEARER_SECURITY, problems, TAGS } from '../openapi.ts';
import { presentDevice } from '../present.ts';
import { list } from '@miftah/schema';
import { dataOf, Device } from '../wire.ts';
import { BEARING } from './user.ts';

/** GET /tokens: the devices on which the person is signed in. */
export const listTokensRoute: Endpoint = (app, context) => {
  app.route({
    method: 'GET',
    url: '/tokens',
    schema: {
      operationId: 'listTokens',
      summary: "List the person's active tokens",
      tags: TAGS.tokens,
      security: BEARER_SECURITY,
      response: { 200: dataOf(list(Device)), ...problems(BEARING) },
    },
    onRequest: limitByAddress(context, RATE_POLICIES.bearer),
    handler: async (request) => {
      const now = context.clock.now();
      const bearer = await requireBearer(context, request, now);
      const tokens = await listTokens(context.tools, bearer, now);
      return { data: tokens.map((token) => presentDevice(token, bearer.token)) };
    },
  });
};
