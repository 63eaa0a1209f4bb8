import { isIP } from 'node:net';
import Fastify, { type FastifyInstance, type FastifyReply } from 'fastify';
import { isAllowedHost } from './request-head.ts';
import type { HttpContext } from './context.ts';
import { privateServer } from '../server/private-server.ts';

const PATH = '/metrics';
const METHODS = ['GET', 'HEAD'];

const ONLY = `Only ${PATH} is here.`;
const HOSTS = 'Ask for an IP address, for localhost, or for a name in ALLOWED_HOSTS.';
const HEADERS = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };

/**
 * The listener of METRICS_PORT: `/metrics` and nothing else, on an address of its own, so that no
 * rule of a proxy has to keep it from the public.
 */
export function metricsListener(
  context: HttpContext,
  add: (app: FastifyInstance) => void,
): FastifyInstance {
  const app = Fastify({
    serverFactory: privateServer,
    forceCloseConnections: true,
    frameworkErrors: (_error, _request, reply) => refuse(reply, 404, ONLY),
  });
  app.addHook('onRequest', ({ headers, method, url }, reply, done) => {
    if (!isCollectorsHost(context, headers.host ?? '')) return refuse(reply, 421, HOSTS);
    if (url.split('?', 1)[0] !== PATH) return refuse(reply, 404, ONLY);
    if (!METHODS.includes(method)) {
      return refuse(reply.header('allow', METHODS.join(', ')), 405, 'Only GET and HEAD are here.');
    }
    reply.headers(HEADERS);
    done();
  });
  app.setErrorHandler((_error, _request, reply) =>
    refuse(reply, 500, 'The numbers could not be read.'),
  );
  add(app);
  return app;
}

/** Before a body is read: there is nothing here that takes one. */
function refuse(reply: FastifyReply, status: number, text: string): void {
  void reply.status(status).headers(HEADERS).type('text/plain; charset=utf-8').send(`${text}\n`);
}

/**
 * Another site can point its own name to this address, and a browser beside the service would then
 * read the numbers for it (DNS rebinding). That needs a name, so addresses are allowed: collectors
 * in a cluster ask for them.
 */
function isCollectorsHost(context: HttpContext, host: string): boolean {
  if (isAllowedHost(context, host)) return true;
  const url = URL.parse(`http://${host}`);
  if (url === null || url.host !== host.replace(/:80$/, '')) return false;
  return url.hostname === 'localhost' || isIP(url.hostname.replace(/^\[(.*)\]$/, '$1')) !== 0;
}
