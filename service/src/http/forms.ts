import { parse } from 'node:querystring';
import fastifyFormbody from '@fastify/formbody';
import type { FastifyInstance, FastifyRequest, RouteGenericInterface } from 'fastify';
import { Refusal } from '../domain/errors/refusal.ts';
import { BODY_LIMITS } from '../domain/limits.ts';
import type { HttpContext } from './context.ts';

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
 * comes from: by Sec-Fetch-Site where the connection is safe or local, else by Origin. That is
 * `null` from our own pages, which send no Referer, so `null` has to pass.
 * @throws Refusal `request.cross_site`
 */
export function refuseCrossSite({ settings }: HttpContext) {
  return async ({ headers }: FastifyRequest): Promise<void> => {
    const { origin = 'null', host = '', 'sec-fetch-site': site } = headers;
    const own = ['null', settings.publicUrl, `http://${host}`, `https://${host}`];
    const isOwn = site === undefined ? own.includes(origin) : site === 'same-origin';
    if (!isOwn) throw new Refusal('request.cross_site');
  };
}

/**
 * For a form that gives the browser what it is known by: a page that posts one of its own making
 * knows the secret in it. So nothing passes but what a browser says was sent from a page of ours:
 * no other name of this service, no hidden origin, and no missing one.
 * @throws Refusal `request.cross_site`
 */
export function requireOwnPage({ settings }: HttpContext) {
  return async ({ headers }: FastifyRequest): Promise<void> => {
    const { origin, 'sec-fetch-site': site = 'same-origin' } = headers;
    if (origin !== settings.publicUrl || site !== 'same-origin') {
      throw new Refusal('request.cross_site');
    }
  };
}
