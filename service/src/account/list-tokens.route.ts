import { DevicesQuery, Devices, MOST_DEVICES } from '@miftah/contract';
import { parseApiTokenId } from './api-token.ts';
import { RATE_POLICIES } from '../values/limits.ts';
import { listTokens } from './use-api-token.flow.ts';
import { requireBearer, limitByAddress } from '../request/caller/caller.ts';
import type { Endpoint } from '../request/context.ts';
import { BEARER_SECURITY, problems, TAGS } from '../request/answer/openapi.ts';
import { presentDevices } from '../request/answer/present.ts';
import { BEARER_ERRORS } from './user.route.ts';

/** GET /tokens: the person's active tokens, one per device, in pages. */
export const listTokensRoute: Endpoint = (app, context) => {
  app.route<{ Querystring: DevicesQuery }>({
    method: 'GET',
    url: '/tokens',
    schema: {
      operationId: 'listTokens',
      summary: "List the person's active tokens",
      tags: TAGS.tokens,
      security: BEARER_SECURITY,
      querystring: DevicesQuery,
      response: { 200: Devices, ...problems([...BEARER_ERRORS, 'validation.failed']) },
    },
    onRequest: limitByAddress(context, RATE_POLICIES.bearer),
    // The handler first checks the token, so it reports errors of the query itself.
    attachValidation: true,
    handler: async (request) => {
      const now = context.clock.now();
      const bearer = await requireBearer(context, request, now);
      if (request.validationError !== undefined) throw request.validationError;
      const { limit = MOST_DEVICES, after = '' } = request.query;
      const page = { limit: Number(limit), after: parseApiTokenId(after) };
      return presentDevices(await listTokens(context.services, bearer, page, now), bearer.token);
    },
  });
};
