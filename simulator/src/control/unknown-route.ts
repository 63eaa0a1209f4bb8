import {
  COMPARED_CHARACTERS,
  KnownRoutes,
  methodMeant,
  readableUrl,
} from '@miftah/schema/known-routes';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ControlError } from './errors.ts';

/** Collects the addresses below `/simulator`, its pages too, while they are added. */
export function rememberRoutes(app: FastifyInstance): KnownRoutes {
  const routes = new KnownRoutes();
  app.addHook('onRoute', ({ url, method }) => {
    if (url.startsWith('/simulator/')) routes.add(url, method);
  });
  return routes;
}

/**
 * Refuses an unknown path with the one that was probably meant, and a method that a path does not
 * have. It repeats nothing of the caller's path, which may hold a secret.
 */
export function unknownRoute(
  routes: KnownRoutes,
  { url, method }: Pick<FastifyRequest, 'url' | 'method'>,
): ControlError {
  const [path = ''] = url.split('?');
  const allow = routes.methodsAt(path);
  if (allow.length > 0) {
    const takes = `Use ${allow.join(' or ')}.`;
    return new ControlError('request.method_not_allowed', { allow, takes });
  }
  const near = path.length > COMPARED_CHARACTERS ? undefined : routes.misspelt(path);
  const meant = near && `Did you mean ${methodMeant(near, method)} ${readableUrl(near)}?`;
  return new ControlError('route.not_found', meant === undefined ? {} : { takes: meant });
}
