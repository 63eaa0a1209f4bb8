import { Introspection, IntrospectionRequest } from '@miftah/contract';
import { RATE_POLICIES } from '../values/limits.ts';
import { introspectToken } from './use-api-token.flow.ts';
import { requireClient, limitByCaller } from '../request/caller/caller.ts';
import type { Endpoint } from '../request/context.ts';
import { headersNamed } from '../request/answer/described-headers.ts';
import { routeWithForm } from '../request/body/forms.ts';
import { CLIENT_OR_BASIC, problems, TAGS } from '../request/answer/openapi.ts';
import { presentIntrospection } from '../request/answer/present.ts';

/** POST /introspect (RFC 7662): a back end asks whether a token is active. */
export const introspect: Endpoint = (app, context) => {
  routeWithForm<{ Body: IntrospectionRequest }>(app, {
    method: 'POST',
    url: '/introspect',
    config: { basic: true },
    schema: {
      operationId: 'introspectToken',
      summary: 'Ask whether a token is active',
      consumes: ['application/json', 'application/x-www-form-urlencoded'],
      tags: TAGS.tokens,
      security: CLIENT_OR_BASIC,
      describedHeaders: headersNamed('X-End-User-Address'),
      body: IntrospectionRequest,
      response: {
        200: Introspection,
        ...problems(['client.unauthenticated', 'rate_limited'], { body: true }),
      },
    },
    onRequest: limitByCaller(context, RATE_POLICIES.bearer),
    preValidation: async (request) => void requireClient(context, request),
    handler: async (request) => {
      const client = requireClient(context, request).id;
      const asked = { token: request.body.token, client };
      return presentIntrospection(
        await introspectToken(context.services, asked, context.clock.now()),
      );
    },
  });
};
