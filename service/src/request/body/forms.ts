import { parse } from 'node:querystring';
import type { FastifyInstance, FastifyRequest, RouteGenericInterface } from 'fastify';
import { tooManyMembers } from '../../errors/notes.ts';
import { Refusal } from '../../errors/refusal.ts';
import { pathsOfNonText } from '../../values/text.ts';
import { BODY_LIMITS } from '@miftah/contract';
import type { HttpContext } from '../context.ts';
import { senderOf, type Sender } from '../request-head.ts';
import { nonTextRefusal, turnOf } from './validation.ts';

/** Adds a route that accepts form-encoded bodies; other routes do not. */
export function routeWithForm<Types extends RouteGenericInterface>(
  app: FastifyInstance,
  options: Parameters<typeof app.route<Types>>[0],
): void {
  void app.register(async (scope) => {
    scope.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string', bodyLimit: BODY_LIMITS.bytes },
      async (request: FastifyRequest, text: string) => {
        await turnOf(request);
        return parseForm(text);
      },
    );
    scope.route<Types>(options);
  });
}

/** The routes of this scope get a form as it was sent, as one text. */
export function takeFormsUnread(scope: FastifyInstance): void {
  scope.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: BODY_LIMITS.bytes },
    (_request, text, done) => done(null, text),
  );
}

/**
 * @throws Refusal `request.too_complex`: parsing thousands of members would delay all other
 * requests; `validation.failed` for a value that is no text
 */
function parseForm(text: string): Record<string, unknown> {
  const members = text.split('&', BODY_LIMITS.keys + 1);
  if (members.length > BODY_LIMITS.keys) {
    throw new Refusal('request.too_complex', { note: tooManyMembers(BODY_LIMITS.keys) });
  }
  const form = parse(text);
  const paths = pathsOfNonText(form);
  if (paths.length > 0) throw nonTextRefusal(paths);
  return form;
}

/** Our own pages send no Referer, so the Origin of their forms may be `null`. */
const SENDERS: ReadonlySet<Sender> = new Set(['own', 'unnamed', 'no browser']);

/**
 * Another site's page could post its form here with the person's browser. Listed origins may use
 * the API, but not post to the forms of our pages.
 * @throws Refusal `request.cross_site`
 */
export function refuseCrossSite(context: HttpContext) {
  return async (request: FastifyRequest): Promise<void> => {
    if (!SENDERS.has(senderOf(context, request))) throw new Refusal('request.cross_site');
  };
}

/**
 * For the form that gives the browser its secret: a page that posts its own form would know that
 * secret. So the browser must state that the form comes from a page of ours: another name of this
 * service, a hidden origin and a missing one are refused.
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
