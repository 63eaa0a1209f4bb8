import type { FastifyInstance, FastifyRequest } from 'fastify';
import { hostNameOf, isLoopbackName } from '../http/host-name.ts';
import { sameSecret } from '../http/same-secret.ts';
import type { ControlAccess } from '../options.ts';
import { ControlError } from './errors.ts';

const FOREIGN_SITES: ReadonlySet<string> = new Set(['cross-site', 'same-site']);

/**
 * Refuses requests of foreign web pages, which a browser on this machine could send. It checks the
 * host name (a page can point its own name to this address), the origin, and the token if one is
 * set.
 */
export function guardControl(scope: FastifyInstance, access: ControlAccess): void {
  const names = new Set([
    hostNameOf(new URL(access.publicUrl).host),
    ...(access.allowedHosts ?? []),
  ]);
  const ownOrigin = new URL(access.publicUrl).origin;
  scope.addHook('onRequest', (request, _reply, done) => {
    const host = hostNameOf(request.headers.host ?? '');
    if (host === null || !(isLoopbackName(host) || names.has(host))) {
      throw new ControlError('request.misdirected');
    }
    if (isForeign(request, ownOrigin)) throw new ControlError('simulator.foreign_origin');
    if (!bearsToken(request, access.token ?? null)) {
      throw new ControlError('simulator.token_required');
    }
    done();
  });
}

/** Browsers send these headers and pages can't change them; other programs send neither. */
function isForeign({ headers }: FastifyRequest, ownOrigin: string): boolean {
  if (FOREIGN_SITES.has(String(headers['sec-fetch-site']))) return true;
  const { origin, host } = headers;
  if (origin === undefined || origin === ownOrigin) return false;
  return !URL.canParse(origin) || new URL(origin).host !== host;
}

function bearsToken({ headers }: FastifyRequest, token: string | null): boolean {
  if (token === null) return true;
  const [scheme = '', given = ''] = (headers.authorization ?? '').split(' ');
  return scheme.toLowerCase() === 'bearer' && sameSecret(given, token);
}
