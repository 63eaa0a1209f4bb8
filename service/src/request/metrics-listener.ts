import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { isIP } from 'node:net';
import process from 'node:process';
import { SECOND_MS } from '../values/time.ts';
import { standingOf } from '../operate/readiness.flow.ts';
import { isAllowedHost } from './checks.ts';
import type { HttpContext } from './context.ts';
import { limitExchanges } from '../server/exchanges.ts';
import { limitConnections } from '../server/limit-connections.ts';
import { endStalledWrites } from '../server/listener.ts';

// An `import` of node:http loads Node's fetch too, which is a tenth of a start.
const { createServer } = process.getBuiltinModule('node:http');

const PATH = '/metrics';
const REQUEST_TIMEOUT_MS = 5 * SECOND_MS;
/** Several collectors may read at the same time; nobody else has business here. */
const CONNECTIONS = { most: 32, crowd: 8 } as const;
/** A collector's request is far shorter. */
const HEAD_MAX_BYTES = 8 * 1024;

const TEXT = 'text/plain; charset=utf-8';

interface Page {
  readonly status: number;
  readonly mediaType: string;
  readonly text: string;
}

/**
 * The listener of METRICS_PORT: `/metrics` and nothing else, on an address of its own, so that no
 * rule of a proxy has to keep it from the public.
 */
export function createMetricsListener(context: HttpContext): Server {
  const handle = (request: IncomingMessage, response: ServerResponse) => {
    void answer(context, request)
      .catch(() => page(500, 'The numbers could not be read.'))
      .then((found) => send(request, response, found));
  };
  const limits = {
    headersTimeout: REQUEST_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    connectionsCheckingInterval: SECOND_MS,
    maxHeaderSize: HEAD_MAX_BYTES,
  };
  const server = createServer(limits, limitExchanges(handle));
  limitConnections(server, CONNECTIONS);
  endStalledWrites(server);
  return server;
}

async function answer(context: HttpContext, request: IncomingMessage): Promise<Page> {
  const { method = '', url = '' } = request;
  if (!isCollectorsHost(context, request.headers.host ?? '')) {
    return page(421, 'Ask for an IP address, for localhost, or for a name in ALLOWED_HOSTS.');
  }
  if (url.split('?', 1)[0] !== PATH) return page(404, `Only ${PATH} is here.`);
  if (method !== 'GET' && method !== 'HEAD') return page(405, 'Only GET and HEAD are here.');
  const { services } = context;
  const text = await services.meter.render(standingOf(services.store, context));
  return { status: 200, mediaType: services.meter.mediaType, text };
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

function page(status: number, text: string): Page {
  return { status, mediaType: TEXT, text: `${text}\n` };
}

function send({ method }: IncomingMessage, response: ServerResponse, found: Page): void {
  const { status, mediaType, text } = found;
  const body = Buffer.from(text);
  response.writeHead(status, {
    'content-type': mediaType,
    'content-length': body.byteLength,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...(status === 405 ? { allow: 'GET, HEAD' } : {}),
  });
  response.end(method === 'HEAD' ? undefined : body);
}
