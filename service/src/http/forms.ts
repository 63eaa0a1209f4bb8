import { parse } from 'node:querystring';
import fastifyFormbody from '@fastify/formbody';
import type { FastifyInstance, FastifyRequest, RouteGenericInterface } from 'fastify';
import { Refusal } from '../domain/errors/refusal.ts';
import { BODY_LIMITS } from '../domain/limits.ts';

/** Adds a route that takes form-encoded bodies, which no other route does. */
export function routeWithForm<Types extends RouteGenericInterface>(
  app: FastifyInstance,
  options: Parameters<typeof app.route<Types>>[0],
): void {
  void app.register(async (scope) => {
    await scope.register(fastifyFormbody, { bodyLimit: BODY_LIMITS.bytes, parser: parseForm });
    scope.route<Types>(options);
  });
}

/** @throws Refusal `request.too_complex`: thousands of members would hold up all other requests. */
function parseForm(text: string): Record<string, unknown> {
  const members = text.split('&', BODY_LIMITS.keys + 1);
  if (members.length > BODY_LIMITS.keys) throw new Refusal('request.too_complex');
  return parse(text);
}

/**
 * A form of another site can post here with the person's browser. Browsers say where a request
 * comes from; our pages send no Referer, which also hides the Origin, so Sec-Fetch-Site is asked.
 * @throws Refusal `request.cross_site`
 */
export async function refuseCrossSite({ headers }: FastifyRequest): Promise<void> {
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin') throw new Refusal('request.cross_site');
}
