import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import { signInForExpress } from '@miftah/client/express';
import { signInForFastify } from '@miftah/client/fastify';
import { signInForWeb, type SignInOptions } from '@miftah/client/web';
import express, { type RequestHandler } from 'express';
import fastify from 'fastify';
import type { AtEnd } from '../at-end.ts';

/** The sign-in in an application of each framework: its home page is `home`, whoever asks. */
export type OpenApplication = (options: OptionsFor, atEnd: AtEnd) => Promise<string>;

/** @param appUrl where the application is, which is known when it listens */
export type OptionsFor = (appUrl: string) => SignInOptions;

type Listener = (request: IncomingMessage, response: ServerResponse) => void;

/** What each application tells in the header `x-told`. */
const WELCOME = (userId: number) => `welcome ${userId}`;
const BYE = 'bye';

/** `node:http` gives each framework its port, so that its options can name it. */
async function listen(
  application: (origin: string) => Promise<Listener>,
  atEnd: AtEnd,
): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const origin = `http://127.0.0.1:${port}`;
  server.on('request', await application(origin));
  atEnd(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => void server.close(resolve));
  });
  return origin;
}

/** @param before what the application does with each request before the sign-in */
function openExpress(before: RequestHandler): OpenApplication {
  return (optionsFor, atEnd) =>
    listen(async (origin) => {
      const app = express();
      app.use(before);
      app.use(
        signInForExpress<IncomingMessage, ServerResponse>({
          ...optionsFor(origin),
          signedIn: ({ user }, _, response) =>
            response.writeHead(303, { location: '/', 'x-told': WELCOME(user.id) }).end(),
          signedOut: (_, response) =>
            response.writeHead(303, { location: '/', 'x-told': BYE }).end(),
        }),
      );
      app.get('/{*rest}', (_: IncomingMessage, response: ServerResponse) => response.end('home'));
      return app;
    }, atEnd);
}

const openFastify: OpenApplication = (optionsFor, atEnd) =>
  listen(async (origin) => {
    const app = fastify();
    // With an asynchronous hook an answer is sent in a later turn.
    app.addHook('onSend', async () => undefined);
    await app.register(
      signInForFastify({
        ...optionsFor(origin),
        // As in the callback of a library for sessions.
        signedIn: ({ user }, _, reply) => {
          setImmediate(() => reply.header('x-told', WELCOME(user.id)).redirect('/', 303));
        },
        signedOut: (_, reply) => {
          reply.header('x-told', BYE).redirect('/', 303);
        },
      }),
    );
    app.get('/*', async () => 'home');
    await app.ready();
    return (request, response) => app.routing(request, response);
  }, atEnd);

const goTo = (told: string) =>
  new Response(null, { status: 303, headers: { location: '/', 'x-told': told } });

const openWeb: OpenApplication = (optionsFor, atEnd) =>
  listen(async (origin) => {
    const signIn = signInForWeb({
      ...optionsFor(origin),
      signedIn: ({ user }) => goTo(WELCOME(user.id)),
      signedOut: () => goTo(BYE),
      addressOf: () => '127.0.0.1',
    });
    return serveWeb(async (request) => (await signIn(request)) ?? new Response('home'));
  }, atEnd);

/** A handler of Web-standard requests, behind `node:http`. */
export function serveWeb(handle: (request: Request) => Promise<Response>): Listener {
  return (incoming, outgoing) => {
    answer(handle, incoming, outgoing).catch(() => outgoing.destroy());
  };
}

async function answer(
  handle: (request: Request) => Promise<Response>,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const { method = '', url, headers } = incoming;
  const body = method === 'POST' ? { body: Readable.toWeb(incoming) as BodyInit } : {};
  const init = { method, headers: headers as Record<string, string>, duplex: 'half', ...body };
  const answered = await handle(new Request(`http://${headers.host}${url}`, init));
  for (const [name, value] of answered.headers) outgoing.appendHeader(name, value);
  outgoing.writeHead(answered.status);
  if (answered.body === null) outgoing.end();
  else await pipeline(Readable.fromWeb(answered.body as ReadableStream), outgoing);
}

export const FRAMEWORKS: readonly (readonly [name: string, open: OpenApplication])[] = [
  ['Express', openExpress((_request, _response, next) => next())],
  ['Express with forms that are read already', openExpress(express.urlencoded({ extended: true }))],
  ['Express with forms that are read as bytes', openExpress(express.raw({ type: '*/*' }))],
  [
    'Express whose reader of JSON leaves something empty',
    openExpress((request, _response, next) => {
      request.body = {};
      next();
    }),
  ],
  ['Fastify', openFastify],
  ['a handler of requests and responses', openWeb],
];
