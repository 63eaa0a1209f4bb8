import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Refusal } from '../domain/errors/refusal.ts';
import type { HttpContext } from './context.ts';
import { isForeignPreflight } from './foreign-page.ts';
import { targetOf } from './request-target.ts';

/** The methods of each path. */
type Routes = { readonly pattern: RegExp; readonly methods: Set<string> }[];

/**
 * Collects the routes while they are added, to distinguish an unknown path from an unknown method.
 */
export function rememberRoutes(app: FastifyInstance): Routes {
  const byUrl = new Map<string, Routes[number]>();
  const routes: Routes = [];
  app.addHook('onRoute', ({ url, method }) => {
    if (url.includes('*')) return;
    const known = byUrl.get(url) ?? { pattern: patternOf(url), methods: new Set<string>() };
    if (!byUrl.has(url)) routes.push(known);
    byUrl.set(url, known);
    for (const name of [method].flat()) known.methods.add(name);
  });
  return routes;
}

/** @throws Refusal always */
export function refuseUnknownRoute(context: HttpContext, routes: Routes) {
  return (request: FastifyRequest): never => {
    // No route has OPTIONS: the CORS plugin has already answered the preflights of allowed pages.
    if (isForeignPreflight(context, request)) throw new Refusal('origin.refused');
    const { path } = targetOf(request);
    const matching = routes.filter(({ pattern }) => pattern.test(path));
    if (matching.length === 0) throw new Refusal('route.not_found');
    const allow = [...new Set(matching.flatMap(({ methods }) => [...methods]))].toSorted();
    throw new Refusal('request.method_not_allowed', { allow });
  };
}

function patternOf(url: string): RegExp {
  const source = url
    .split('/')
    .map((part) => (part.startsWith(':') ? '[^/]+' : RegExp.escape(part)))
    .join('/');
  return new RegExp(`^${source}$`);
}
