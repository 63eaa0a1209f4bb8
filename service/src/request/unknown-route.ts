import type { FastifyInstance, FastifyRequest } from 'fastify';
import {
  COMPARED_CHARACTERS,
  KnownRoutes,
  methodMeant,
  readableUrl,
} from '@miftah/schema/known-routes';
import { allowedMethods, didYouMeanRoute, OPENID_IS_OFF, type Note } from '../errors/notes.ts';
import { Refusal } from '../errors/refusal.ts';
import { BASE_PATH, type HttpContext } from './context.ts';
import { isForeignPreflight, pathInScope, targetOf } from './request-head.ts';

/**
 * Collects the routes while they are added, to distinguish an unknown path from an unknown method.
 */
export function rememberRoutes(app: FastifyInstance): KnownRoutes {
  const routes = new KnownRoutes();
  app.addHook('onRoute', ({ url, method }) => routes.add(url, method));
  return routes;
}

/** @throws Refusal always */
export function refuseUnknownRoute(context: HttpContext, routes: KnownRoutes) {
  return (request: FastifyRequest): never => {
    // No route has OPTIONS: the CORS plugin has already answered the preflights of allowed pages.
    if (isForeignPreflight(context, request)) throw new Refusal('origin.refused');
    const { path } = targetOf(request);
    const allow = routes.methodsAt(path);
    if (allow.length === 0) {
      const inScope = pathInScope(context, path);
      const note = nearRoute(routes, { path, inScope, method: request.method });
      throw new Refusal('route.not_found', note === null ? {} : { note });
    }
    throw new Refusal('request.method_not_allowed', {
      allow,
      // A browser alone sends OPTIONS, before a request of a page.
      note: allowedMethods(allow.filter((name) => name !== 'OPTIONS')),
    });
  };
}

/**
 * The operation or the page that was probably meant. It names one of ours and repeats nothing of the
 * caller's path, which may hold a secret.
 */
function nearRoute(routes: KnownRoutes, { path, inScope, method }: Asked): Note | null {
  if (path.length > COMPARED_CHARACTERS) return null;
  const isOn = routes.all.some(({ url }) => url === DISCOVERY);
  if (!isOn && (path.startsWith('/openid/') || path.startsWith(DISCOVERY_BEGINS))) {
    return OPENID_IS_OFF;
  }
  if (path.startsWith(DISCOVERY_BEGINS) || (isOn && path.endsWith(DISCOVERY))) {
    return didYouMeanRoute('GET', DISCOVERY);
  }
  const ofApi = routes.all.filter(({ url }) => isOfApi(url));
  const plain = inScope.replace(WRITTEN_BASE, '').replace(CANCEL, '$1');
  const near =
    ofApi.find(({ pattern }) => pattern.test(BASE_PATH + plain)) ??
    (plain === inScope ? undefined : routes.all.find(({ pattern }) => pattern.test(plain))) ??
    routes.misspelt(inScope);
  if (near === undefined) return null;
  const scope = inScope === path || !isOfApi(near.url) ? '' : '/scopes/{scope}';
  return didYouMeanRoute(methodMeant(near, method), scope + readableUrl(near));
}

const isOfApi = (url: string) => url.startsWith(`${BASE_PATH}/`);

/** It is a route where OpenID is on, and with other ends it is nothing. */
const DISCOVERY = '/.well-known/openid-configuration';
const DISCOVERY_BEGINS = '/.well-known/openid';

interface Asked {
  readonly path: string;
  /** The path without the scope in front of it. */
  readonly inScope: string;
  readonly method: string;
}

/** What other interfaces have in the place of DELETE. */
const CANCEL = /^(\/attempts\/[^/]+)\/cancel$/;
/** A base path that is not ours, or is there twice. */
const WRITTEN_BASE = /^(?:\/(?:api|v\d+))+(?=\/)/;
