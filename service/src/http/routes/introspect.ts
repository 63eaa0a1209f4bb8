import { clientOfKey } from '../../domain/client.ts';
import { Refusal } from '../../domain/errors/refusal.ts';
import { RATE_POLICIES } from '../../domain/limits.ts';
import { introspectToken } from '../../flow/use-api-token.ts';
import { credentialOf } from '../bearer.ts';
import type { Endpoint } from '../context.ts';
import { routeWithForm } from '../forms.ts';
import { limitByAddress } from '../limit-rate.ts';
import { CLIENT_SECURITY, problems, TAGS } from '../openapi.ts';
import { presentIntrospection } from '../present.ts';
import { Introspection, IntrospectBody } from '../wire.ts';
import type { FastifyRequest } from 'fastify';

/** POST /introspect (RFC 7662): a back end asks whether a token is good. */
export const introspect: Endpoint = (app, context) => {
  routeWithForm<{ Body: IntrospectBody }>(app, {
    method: 'POST',
    url: '/introspect',
    schema: {
      operationId: 'introspectToken',
      summary: 'Ask whether a token is active',
      consumes: ['application/json', 'application/x-www-form-urlencoded'],
      tags: TAGS.tokens,
      security: CLIENT_SECURITY,
      body: IntrospectBody,
      response: {
        200: Introspection,
        ...problems(['client.unauthenticated', 'rate_limited'], { body: true }),
      },
    },
    onRequest: limitByAddress(context, RATE_POLICIES.bearer),
    preValidation: async (request) => void requireClient(request),
    handler: async (request) => {
      const client = requireClient(request);
      const asked = { token: request.body.token, client };
      return presentIntrospection(await introspectToken(context.tools, asked, context.clock.now()));
    },
  });
};

/** An API token is no client key, so it never opens this door. @throws Refusal */
function requireClient(request: FastifyRequest): string {
  const client = clientOfKey(credentialOf(request) ?? '');
  if (client === null) throw new Refusal('client.unauthenticated');
  return client;
}
