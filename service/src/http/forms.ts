import { parse } from 'node:querystring';
import fastifyFormbody from '@fastify/formbody';
import type { FastifyInstance, FastifyRequest, RouteGenericInterface } from 'fastify';
import { Refusal } from '../domain/errors/refusal.ts';
import { BODY_LIMITS } from '../domain/limits.ts';
import type { HttpContext } from './context.ts';
import { senderOf, type Sender } from './foreign-page.ts';

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

/** Our own pages send no Referer, so the Origin of what they send may be `null`. */
const SENDERS: ReadonlySet<Sender> = new Set(['own', 'unnamed', 'no browser']);

/**
 * A form of another page can be sent here with the person's browser. Listed origins may use the API,
 * and not the forms of our pages.
 * @throws Refusal `request.cross_site`
 */
export function refuseCrossSite(context: HttpContext) {
  return async (request: FastifyRequest): Promise<void> => {
    if (!SENDERS.has(senderOf(context, request))) throw new Refusal('request.cross_site');
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
