import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream as NodeStream } from 'node:stream/web';
import { elementModule } from './element-module.ts';

/** Nothing of a page may come from elsewhere or be written in it, and no text becomes markup. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "connect-src 'self'",
  "style-src 'self'",
  "font-src 'self'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

export interface Served {
  readonly contentType: string;
  readonly body: string | Buffer;
}

export function html(body: string): Served {
  return { contentType: 'text/html; charset=utf-8', body };
}

/** Answers a request to an address of the application, or gives the answer back. */
export type Route = (request: IncomingMessage, response: ServerResponse) => Response | undefined;

export interface Application {
  /** By path, beside `/element.js`. */
  readonly files: Readonly<Record<string, Served>>;
  readonly routes: Readonly<Record<string, Route>>;
  readonly port?: number;
}

export interface PageServer extends AsyncDisposable {
  readonly origin: string;
  readonly port: number;
  /** The paths that were asked for, in their order. */
  readonly asked: readonly string[];
}

/** An application on a page of which a person waits, with a policy as strict as it can be. */
export async function serveApplication({
  files,
  routes,
  port = 0,
}: Application): Promise<PageServer> {
  const element: Served = { contentType: 'text/javascript', body: await elementModule() };
  const all: Readonly<Record<string, Served>> = { '/element.js': element, ...files };
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '', 'http://server.invalid');
    asked.push(pathname);
    const file = all[pathname];
    const route = routes[pathname];
    if (file !== undefined) {
      const headers = { 'content-type': file.contentType, 'content-security-policy': POLICY };
      response.writeHead(200, { ...headers, 'x-content-type-options': 'nosniff' }).end(file.body);
    } else if (route === undefined) response.writeHead(404).end();
    else passOn(route(request, response), response);
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const own = (server.address() as AddressInfo).port;
  return {
    origin: `http://127.0.0.1:${own}`,
    port: own,
    asked,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/**
 * What an application with Node's own server does with a `Response`. A pipeline cancels the body
 * when the page is gone, which `pipe` does not.
 */
function passOn(answer: Response | undefined, response: ServerResponse): void {
  if (answer === undefined) return;
  const { status, headers, body } = answer;
  response.writeHead(status, Object.fromEntries(headers));
  if (body === null) response.end();
  else void pipeline(Readable.fromWeb(body as NodeStream), response).catch(() => undefined);
}
