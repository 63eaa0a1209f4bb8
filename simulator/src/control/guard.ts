import type { FastifyInstance, FastifyRequest } from 'fastify';
import { hostNameOf, isLoopbackName } from '../http/host-name.ts';
import { isFromForeignPage } from '../http/sending-page.ts';
import { sameSecret } from '../access/same-secret.ts';
import type { ControlAccess } from '../options.ts';
import { ControlError } from './errors.ts';
import type { BrowserSessions } from './session.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The operation begins a session, so it needs neither the token nor a session. */
    beginsSession?: boolean;
  }
}

const READING: ReadonlySet<string> = new Set(['GET', 'HEAD']);

/**
 * Refuses requests of foreign web pages, which a browser on this machine could send. It checks the
 * host name (a page can point its own name to this address), the origin, and the token if one is
 * set. The cookie of a session counts as the token.
 */
export function guardControl(
  scope: FastifyInstance,
  access: ControlAccess,
  sessions: BrowserSessions,
): void {
  const names = new Set([
    hostNameOf(new URL(access.publicUrl).host),
    ...(access.allowedHosts ?? []),
  ]);
  const ownOrigin = new URL(access.publicUrl).origin;
  const { token = null } = access;
  scope.addHook('onRequest', (request, reply, done) => {
    const host = hostNameOf(request.headers.host ?? '');
    if (host === null || !(isLoopbackName(host) || names.has(host))) {
      throw new ControlError('request.misdirected');
    }
    if (isFromForeignPage(request, ownOrigin)) throw new ControlError('simulator.foreign_origin');
    const isOpen = token === null || request.routeOptions.config.beginsSession === true;
    if (!isOpen && !bearsToken(request, token)) {
      if (!sessions.accept(request, reply)) throw new ControlError('simulator.token_required');
      // A browser adds the cookie by itself, so the request has to say which page it is from.
      const isSaid = READING.has(request.method) || request.headers.origin !== undefined;
      if (!isSaid) throw new ControlError('simulator.foreign_origin');
    }
    done();
  });
}

function bearsToken({ headers }: FastifyRequest, token: string): boolean {
  const [scheme = '', given = ''] = (headers.authorization ?? '').split(' ');
  return scheme.toLowerCase() === 'bearer' && sameSecret(given, token);
}
