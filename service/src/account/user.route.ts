import { OPERATIONS } from '@miftah/contract/operations';
import { RATE_POLICIES } from '../values/limits.ts';
import { requireBearer, limitByAddress } from '../request/caller/caller.ts';
import type { Endpoint } from '../request/context.ts';
import { BEARER_SECURITY, problems, TAGS } from '../request/answer/openapi.ts';
import { presentTokenUser } from '../request/answer/present.ts';

/** GET /user: the user and the application of this token. */
export const user: Endpoint = (app, context) => {
  app.route({
    method: 'GET',
    url: '/user',
    schema: {
      operationId: 'readUser',
      summary: 'Read the user of the token',
      tags: TAGS.tokens,
      security: BEARER_SECURITY,
      response: { 200: OPERATIONS.readUser.answer, ...problems(BEARER_ERRORS) },
    },
    onRequest: limitByAddress(context, RATE_POLICIES.bearer),
    handler: async (request) => {
      const bearer = await requireBearer(context, request, context.clock.now());
      return { data: presentTokenUser(bearer) };
    },
  });
};

/** What every route with an API token as Bearer may answer. */
export const BEARER_ERRORS = [
  'token.missing',
  'token.in_address',
  'token.invalid',
  'rate_limited',
] as const;
