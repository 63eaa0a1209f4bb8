import { Introspection, IntrospectionRequest } from '@miftah/contract';
import { RATE_POLICIES } from '../../domain/limits.ts';
import { introspectToken } from '../../flow/token/use-api-token.ts';
import { requireClient } from '../client-key.ts';
import type { Endpoint } from '../context.ts';
import { headersNamed } from '../described-headers.ts';
import { routeWithForm } from '../forms.ts';
import { limitByCaller } from '../limit-callers.ts';
import { CLIENT_OR_BASIC, problems, TAGS } from '../openapi.ts';
import { presentIntrospection } from '../present.ts';

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
