/**
 * The floors: servers with only Node, or with Node and the framework, that check a header and
 * answer about 300 bytes of JSON: `node floors.ts <raw | rawLogged | fastify | fastifyLogged>
 * <port>`.
 */
import { createServer } from 'node:http';
import process from 'node:process';
import Fastify from 'fastify';
import { pino } from 'pino';

const TOKEN_LENGTH = 64;
const HOST = '127.0.0.1';

const ATTEMPT = {
  attempt_id: '01890a5d-ac96-774b-bcce-b302099a8057',
  status: 'pending',
  provider_status: 'PENDING',
  message: 'The attempt is waiting for the person to approve the request on their phone.',
  token_ready: false,
  user: null,
  expires_at: '2026-01-31T09:05:00+00:00',
};

/** The headers that the service sends with each answer. */
const HEADERS = {
  'x-request-id': ATTEMPT.attempt_id,
  'x-auth-mode': 'simulator',
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
};

const TEXT = { type: 'string' } as const;
const SCHEMA = {
  type: 'object',
  properties: {
    data: {
      type: 'object',
      properties: {
        attempt_id: TEXT,
        status: TEXT,
        provider_status: TEXT,
        message: TEXT,
        token_ready: { type: 'boolean' },
        user: { type: 'null' },
        expires_at: TEXT,
      },
    },
  },
} as const;

const [, , name, portText] = process.argv;
const port = Number(portText);
const log = pino();

if (name === 'raw') listenRaw(() => undefined);
else if (name === 'rawLogged') listenRaw(logLine);
else if (name === 'fastify') await listenFastify(() => undefined);
else if (name === 'fastifyLogged') await listenFastify(logLine);
else throw new Error(`there is no floor ${name}`);

function listenRaw(onAnswer: (startedAt: number) => void): void {
  const server = createServer((request, response) => {
    const startedAt = performance.now();
    const isKnown = hasToken(request.headers['x-provider-attempt-token']);
    const body = JSON.stringify(isKnown ? { data: ATTEMPT } : { code: 'attempt.not_found' });
    response.writeHead(isKnown ? 200 : 404, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(body),
      'cache-control': 'no-store',
    });
    response.end(body);
    onAnswer(startedAt);
  });
  server.listen(port, HOST);
}

async function listenFastify(onAnswer: (startedAt: number) => void): Promise<void> {
  const app = Fastify();
  app.get('/', { schema: { response: { 200: SCHEMA } } }, async (request, reply) => {
    const startedAt = performance.now();
    reply.headers(HEADERS);
    if (!hasToken(request.headers['x-provider-attempt-token'])) return reply.callNotFound();
    onAnswer(startedAt);
    return { data: ATTEMPT };
  });
  await app.listen({ port, host: HOST });
}

function hasToken(token: unknown): boolean {
  return typeof token === 'string' && token.length === TOKEN_LENGTH;
}

/** Writes a line with the members of the service's log line. */
function logLine(startedAt: number): void {
  const ms = Math.round((performance.now() - startedAt) * 10) / 10;
  log.info({ reqId: ATTEMPT.attempt_id, method: 'GET', route: '/', status: 200, ms }, 'request');
}
