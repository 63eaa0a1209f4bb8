import { parse } from 'node:querystring';
import Fastify, {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerOptions,
} from 'fastify';
import { assets } from '@miftah/pages';
import { OPERATOR, operatorFaultPage, type OperatorFault } from '@miftah/pages/operator';
import { languageEnds, pageLocale } from '../request/answer/page-locale.ts';
import { sendPage } from '../request/answer/send-page.ts';
import { privateServer } from '../server/private-server.ts';
import { UUID_RANDOM_BYTES, uuidVersion7 } from '../values/ids.ts';
import { OperatorRolesError } from '../values/operator-role.ts';
import { memberOf } from '../values/member.ts';
import { addAttempts } from './attempts.ts';
import { addAudit } from './audit.ts';
import { addEntry, entryOf } from './entry.ts';
import type { OperatorContext } from './operator-context.ts';
import { addPerson } from './person.ts';
import { Scans } from './scans.ts';
import { addSearch } from './search.ts';
import { addService } from './service.ts';
import { OperatorRefusal, visitOf } from './visit.ts';

const BODY_LIMIT = 4096;
const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/** What other sites can do with these pages: nothing. */
const HEADERS = {
  'cache-control': 'no-store',
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'x-robots-tag': 'noindex',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
};

const STATUS: Readonly<Record<OperatorFault, number>> = {
  no_session: 403,
  link_spent: 403,
  signed_out: 200,
  not_allowed: 403,
  wrong_form: 403,
  unknown: 404,
  wrong_host: 421,
  too_many: 429,
  busy: 429,
  number_in_address: 400,
  broken: 500,
  no_role: 403,
  sign_in_failed: 403,
};

/**
 * The listener of OPERATOR_PORT: the pages for operators and nothing else. On the public listener one
 * fault would show them to everybody.
 */
export function operatorListener(context: OperatorContext): FastifyInstance {
  const { clock, random } = context;
  const hosts = allowedHosts(context);
  const isKnownHost = ({ headers }: FastifyRequest) => hosts.has(nameOf(headers.host ?? ''));
  const app = Fastify({
    serverFactory: privateServer,
    forceCloseConnections: true,
    bodyLimit: BODY_LIMIT,
    requestIdHeader: false,
    genReqId: () => uuidVersion7(clock.now(), random.bytes(UUID_RANDOM_BYTES)),
    // The hooks have not run for such an address.
    frameworkErrors: (_error, request, reply) => {
      reply.header('x-request-id', request.id);
      if (isKnownHost(request)) void notFound(context, request, reply);
      else void refuse(context, request, reply, 'wrong_host');
    },
    clientErrorHandler: refuseBroken,
  });
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers({ ...HEADERS, 'x-request-id': request.id });
    if (isKnownHost(request)) done();
    else void refuse(context, request, reply, 'wrong_host');
  });
  app.setErrorHandler((error, request, reply) =>
    refuse(context, request, reply, faultOf(context, error), shownIn(error)),
  );
  app.setNotFoundHandler(async (request, reply) => notFound(context, request, reply));
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    (_request, text, done) => done(null, parse(String(text), '&', '=', { maxKeys: 20 })),
  );
  addAssets(app);
  app.get('/', async (_request, reply) => reply.redirect(OPERATOR, 303));
  const scans = new Scans(context.pause);
  for (const add of [addEntry, addSearch, addAttempts, addPerson, addAudit, addService]) {
    add(app, context, scans);
  }
  return app;
}

/** The names change with the content. */
function addAssets(app: FastifyInstance): void {
  for (const asset of assets) {
    app.get(asset.path, async (_request, reply) =>
      reply
        .header('cache-control', 'public, max-age=31536000, immutable')
        .type(asset.contentType)
        .send(asset.read()),
    );
  }
}

/**
 * Another site can point its own name to this address, and a browser beside the service would then
 * post there for it (DNS rebinding). The names of the own machine are allowed where the pages are on
 * it.
 */
function allowedHosts({ url, allowedHosts: listed }: OperatorContext): ReadonlySet<string> {
  const own = new URL(url).hostname;
  const local = LOOPBACK.includes(own) ? LOOPBACK : [];
  return new Set([
    own,
    ...local,
    ...listed.map((host) => (host.includes(':') ? `[${host}]` : host)),
  ]);
}

/** Without its port, in lower case; '' for what is no host. */
function nameOf(host: string): string {
  const [, name = ''] = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(:\d{1,5})?$/i.exec(host) ?? [];
  return name.toLowerCase();
}

/** Whoever has no session learns nothing of what is there. */
async function notFound(
  context: OperatorContext,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const fault = await visitOf(context, request, reply).then(
    () => 'unknown' as const,
    (error: unknown) => faultOf(context, error),
  );
  return refuse(context, request, reply, fault);
}

const BROKEN: Readonly<Record<string, string>> = {
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
};

type ClientErrorHandler = NonNullable<FastifyServerOptions['clientErrorHandler']>;

/** What is no request gets no page, and the headers of one. */
function refuseBroken(...[{ code }, socket]: Parameters<ClientErrorHandler>): void {
  if (!socket.writable) return void socket.destroy();
  const headers = Object.entries({ ...HEADERS, 'content-length': '0', connection: 'close' });
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  socket.end(`HTTP/1.1 ${BROKEN[code ?? ''] ?? '400 Bad Request'}\r\n${lines}\r\n`);
}

/** What the framework refuses, such as a body of another kind, is a wrong form. */
function faultOf({ logFailure }: OperatorContext, error: unknown): OperatorFault {
  if (error instanceof OperatorRefusal) return error.fault;
  const status = memberOf(error, 'statusCode');
  if (typeof status === 'number' && status < 500) return 'wrong_form';
  const reason = error instanceof OperatorRolesError ? error.message : undefined;
  logFailure(error, 'a page for operators could not be shown', reason);
  return 'broken';
}

const shownIn = (error: unknown) => (error instanceof OperatorRefusal ? error.shown : {});

function refuse(
  context: OperatorContext,
  request: FastifyRequest,
  reply: FastifyReply,
  fault: OperatorFault,
  shown: OperatorRefusal['shown'] = {},
): FastifyReply {
  // The same for every address, so that none is told from another.
  const links = { languageLinks: languageEnds(`${OPERATOR}?locale=`) };
  const page = { locale: pageLocale(request), fault, requestId: request.id, ...links, ...shown };
  const html = operatorFaultPage({ ...page, entry: entryOf(context) });
  return sendPage(reply.status(STATUS[fault]).headers(HEADERS), html);
}
