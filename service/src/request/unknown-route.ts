import type { FastifyInstance, FastifyRequest } from 'fastify';
import { nearestOf } from '@miftah/schema/nearest';
import { allowedMethods, didYouMeanRoute, OPENID_IS_OFF, type Note } from '../errors/notes.ts';
import { Refusal } from '../errors/refusal.ts';
import { BASE_PATH, type HttpContext } from './context.ts';
import { isForeignPreflight, pathInScope, targetOf } from './request-head.ts';

/** The methods of each path. */
type Routes = { readonly url: string; readonly pattern: RegExp; readonly methods: Set<string> }[];

/**
 * Collects the routes while they are added, to distinguish an unknown path from an unknown method.
 */
export function rememberRoutes(app: FastifyInstance): Routes {
  const byUrl = new Map<string, Routes[number]>();
  const routes: Routes = [];
  app.addHook('onRoute', ({ url, method }) => {
    if (url.includes('*')) return;
    const known = byUrl.get(url) ?? { url, pattern: patternOf(url), methods: new Set<string>() };
    if (!byUrl.has(url)) routes.push(known);
    byUrl.set(url, known);
    for (const name of [method].flat()) known.methods.add(name);
  });
  return routes;
}

/** Longer than each path of ours with an id in it. */
const COMPARED_CHARACTERS = 80;

/** @throws Refusal always */
export function refuseUnknownRoute(context: HttpContext, routes: Routes) {
  return (request: FastifyRequest): never => {
    // No route has OPTIONS: the CORS plugin has already answered the preflights of allowed pages.
    if (isForeignPreflight(context, request)) throw new Refusal('origin.refused');
    const { path } = targetOf(request);
    const matching = routes.filter(({ pattern }) => pattern.test(path));
    if (matching.length === 0) {
      const inScope = pathInScope(context, path);
      const note = nearRoute(routes, { path, inScope, method: request.method });
      throw new Refusal('route.not_found', note === null ? {} : { note });
    }
    const allow = [...new Set(matching.flatMap(({ methods }) => [...methods]))].toSorted();
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
function nearRoute(routes: Routes, { path, inScope, method }: Asked): Note | null {
  // Whoever sends a request chooses what is compared.
  if (path.length > COMPARED_CHARACTERS) return null;
  const isOn = routes.some(({ url }) => url === DISCOVERY);
  if (!isOn && (path.startsWith('/openid/') || path.startsWith(DISCOVERY_BEGINS))) {
    return OPENID_IS_OFF;
  }
  if (path.startsWith(DISCOVERY_BEGINS)) return didYouMeanRoute('GET', DISCOVERY);
  const ofApi = routes.filter(({ url }) => isOfApi(url));
  const plain = inScope.replace(WRITTEN_BASE, '');
  const near =
    ofApi.find(({ pattern }) => pattern.test(BASE_PATH + plain)) ??
    (plain === inScope ? undefined : routes.find(({ pattern }) => pattern.test(plain))) ??
    misspelt(routes, inScope);
  if (near === undefined) return null;
  // HEAD and OPTIONS are no answer to what was probably meant.
  const methods = [...near.methods].filter((name) => !/^(?:HEAD|OPTIONS)$/.test(name)).toSorted();
  const meant = methods.find((name) => name === method) ?? methods[0] ?? 'GET';
  const scope = inScope === path || !isOfApi(near.url) ? '' : '/scopes/{scope}';
  return didYouMeanRoute(meant, scope + near.url.replaceAll(/:(\w+)/g, '{$1}'));
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

/** A base path that is not ours, or is there twice. */
const WRITTEN_BASE = /^(?:\/(?:api|v\d+))+(?=\/)/;

function misspelt(routes: Routes, path: string): Routes[number] | undefined {
  const written = path.split('/');
  const byPath = new Map(
    routes.filter(({ url }) => url !== '/').map((route) => [filled(route.url, written), route]),
  );
  return byPath.get(nearestOf(path, [...byPath.keys()]) ?? '');
}

/** The path of a route in which each part that varies is as it was sent. */
function filled(url: string, written: readonly string[]): string {
  const parts = url.split('/').map((part, at) => (part.startsWith(':') ? written[at] : part));
  return parts.join('/');
}

function patternOf(url: string): RegExp {
  const source = url
    .split('/')
    .map((part) => (part.startsWith(':') ? '[^/]+' : RegExp.escape(part)))
    .join('/');
  return new RegExp(`^${source}$`);
}
